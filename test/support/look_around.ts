/**
 * Tells what a process can see and do of its machine, whatever it is permitted:
 * run it with all of Deno's permissions to learn what another wall keeps.
 *
 * @module
 */
import { print } from "../../src/log.ts";

/** What to try. */
export interface Order {
  /** A port of loopback that someone listens on. */
  port: number;
  /** A process that runs. */
  pid: number;
  /** Paths to read, and folders to write into. */
  read: string[];
  write: string[];
}

/** What was found. */
export interface Seen {
  /** Paths that could be read, or written into. */
  read: string[];
  write: string[];
  /** Ways by which the network was reached. */
  network: string[];
  interfaces: string[];
  /** Whether the process could be signalled. */
  reachesProcess: boolean;
  /** Commands of all processes there are. */
  processes: string[];
  /** Names in the root folder. */
  root: string[];
  variables: string[];
  hostname: string;
  folder: string;
  /** Fields of `/proc/self/status`. */
  status: Record<string, string>;
  /** Whether a shell could be started. */
  runs: boolean;
  rss: number;
}

if (import.meta.main) {
  const order: Order = JSON.parse(Deno.args[0] ?? "");
  const seen: Seen = {
    read: order.read.filter((path) => canRead(path)),
    write: order.write.filter((path) => canWrite(path)),
    network: await networks(order),
    interfaces: Deno.networkInterfaces().map(({ name }) => name),
    reachesProcess: isDone(() => Deno.kill(order.pid, "SIGCONT")),
    processes: processes(),
    root: names("/"),
    variables: Object.keys(Deno.env.toObject()).sort(),
    hostname: Deno.hostname(),
    folder: Deno.cwd(),
    status: status(),
    runs: isDone(() => new Deno.Command("/bin/sh").outputSync()),
    rss: Deno.memoryUsage().rss,
  };
  print(JSON.stringify(seen));
}

function canRead(path: string): boolean {
  return isDone(() => {
    if (Deno.statSync(path).isDirectory) [...Deno.readDirSync(path)];
    else Deno.openSync(path).close();
  });
}

function canWrite(folder: string): boolean {
  return isDone(() => {
    const file = `${folder}/mcp-run-python-${crypto.randomUUID()}`;
    Deno.writeTextFileSync(file, "");
    Deno.removeSync(file);
  });
}

async function networks({ port }: Order): Promise<string[]> {
  const address = { port, hostname: "127.0.0.1" };
  const ways: Record<string, () => Promise<unknown>> = {
    connect: async () => (await Deno.connect(address)).close(),
    fetch: async () =>
      (await fetch(`http://127.0.0.1:${port}/`)).body?.cancel(),
    resolve: () => Deno.resolveDns("localhost", "A"),
  };
  const reached = [];
  for (const [name, reach] of Object.entries(ways)) {
    if (await reach().then(() => true, () => false)) reached.push(name);
  }
  return reached;
}

function processes(): string[] {
  return names("/proc").filter((name) => /^\d+$/.test(name)).map((id) =>
    Deno.readTextFileSync(`/proc/${id}/comm`).trim()
  );
}

function status(): Record<string, string> {
  const lines = Deno.readTextFileSync("/proc/self/status").trim().split("\n");
  return Object.fromEntries(lines.map((line) => line.split(":\t")));
}

function names(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

function isDone(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
