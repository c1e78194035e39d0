/**
 * Tries every kind of permission for real, and tells what came of each: run it
 * with the flags of a process, or as a worker, to learn what that may do.
 *
 * Its argument is JSON, an order; as a worker it waits for a message with one
 * in `probe`, and answers that.
 *
 * @module
 */
import { join } from "node:path";
import { print } from "../../src/log.ts";

/** What came of each try: true if it was allowed. */
export type Probed = Record<string, boolean>;

/** What to try beside each kind of permission. */
export interface ProbeOrder {
  /** A port of a listener on loopback. */
  port: number;
  /** Folders to read, and to write into. */
  folders?: string[];
}

if ("WorkerGlobalScope" in globalThis) {
  addEventListener("message", async (event) => {
    const { probe: order } = Object(Reflect.get(event, "data"));
    // All else is for the code in whose place this runs.
    if (order === undefined) return;
    const reply: (probed: Probed) => void = Reflect.get(self, "postMessage");
    reply(await probe(order));
  });
} else if (import.meta.main) {
  print(JSON.stringify(await probe(JSON.parse(Deno.args[0] ?? ""))));
  Deno.exit(0);
}

/** Tries all in this process or worker. */
export async function probe(
  { port, folders = [] }: ProbeOrder,
): Promise<Probed> {
  const probed: Probed = {
    read: await allowed(() => Deno.readTextFile("/etc/hostname")),
    write: await allowed(() => writeInto("/tmp")),
    net: await allowed(async () => {
      (await Deno.connect({ port, hostname: "127.0.0.1" })).close();
    }),
    fetch: await allowed(async () => {
      await (await fetch(`http://127.0.0.1:${port}/`)).body?.cancel();
    }),
    run: await allowed(() => new Deno.Command("true").output()),
    env: await allowed(() => Deno.env.get("HOME")),
    sys: await allowed(() => Deno.hostname()),
    ffi: await allowed(() => Deno.dlopen("libm.so.6", {})),
    // Nothing is there, which Deno would keep; and it remembers what it tried.
    import: await allowed(() =>
      import(`http://127.0.0.1:1/${crypto.randomUUID()}.ts`)
    ),
    node: await allowed(async () => {
      const { readFileSync } = await import("node:fs");
      readFileSync("/etc/hostname");
    }),
  };
  for (const folder of folders) {
    probed[`read ${folder}`] = await allowed(() => [
      ...Deno.readDirSync(folder),
    ]);
    probed[`write ${folder}`] = await allowed(() => writeInto(folder));
  }
  return probed;
}

async function writeInto(folder: string): Promise<void> {
  const file = join(folder, `mcp-run-python-${crypto.randomUUID()}`);
  await Deno.writeTextFile(file, "");
  await Deno.remove(file);
}

/** Only a refusal counts as one: what fails otherwise was allowed to be tried. */
async function allowed(attempt: () => unknown): Promise<boolean> {
  try {
    await attempt();
    return true;
  } catch (error) {
    const words = String(error);
    return !/NotCapable|Requires \w+ access|--cached-only/.test(words);
  }
}
