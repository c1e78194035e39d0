import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findPort } from "../../src/launcher/listen_address.ts";
import { findDebianProgram } from "./debian_program.ts";
import { tempFolder } from "./folder.ts";

export const BALANCERS = ["nginx", "caddy"] as const;

/** A load balancer, a real one. */
export type BalancerKind = typeof BALANCERS[number];

/** A load balancer with a file of `deploy/scale/`, which it reads as it is but for ports. */
export interface Balancer extends AsyncDisposable {
  byCaller: URL;
  bySession: URL;
}

const SCALE = fileURLToPath(import.meta.resolve("../../deploy/scale"));
const FILES = { nginx: "nginx.conf", caddy: "Caddyfile" } as const;
/** The choice of a server by a session. */
const KEYS = {
  nginx: "hash $session_key consistent;",
  caddy: "lb_policy header X-Key",
};
const TURNS = { nginx: "", caddy: "lb_policy round_robin" };

/**
 * Starts a load balancer before servers, the first of which is called `one`.
 *
 * @param options.inTurns Has it choose servers in turns, whatever the session is.
 * @returns The reason, if its program cannot be had.
 */
export async function startBalancer(
  kind: BalancerKind,
  servers: readonly URL[],
  { inTurns = false } = {},
): Promise<Balancer | { reason: string }> {
  const program = await findDebianProgram(kind);
  if ("reason" in program) return program;
  const folder = await tempFolder();
  const ports = { callers: freePort(), sessions: freePort() };
  const places = new Map([
    ["8001", toPlace(kind, ports.callers)],
    ["8002", toPlace(kind, ports.sessions)],
    ...inTurns ? [[KEYS[kind], TURNS[kind]] as const] : [],
    ...servers.map(({ host }, at) => [`127.0.0.1:${3001 + at}`, host] as const),
  ]);
  const text = replaceAll(
    await Deno.readTextFile(join(SCALE, FILES[kind])),
    places,
  );
  const child = new Deno.Command(program.path, {
    args: await writeFiles(kind, text, folder.path),
    // Caddy keeps its state below its home.
    env: { HOME: folder.path, XDG_DATA_HOME: folder.path },
    ...{ stdin: "null", stdout: "null", stderr: "piped" },
  }).spawn();
  const told = new Response(child.stderr).text();
  let hasEnded = false;
  void child.status.then(() => hasEnded = true);
  for (const port of Object.values(ports)) {
    while (!hasEnded && !await isListening(port)) await pause();
  }
  if (hasEnded) throw new Error(`${kind} has ended: ${await told}`);
  const toUrl = (port: number) => new URL(`http://127.0.0.1:${port}/mcp`);
  return {
    byCaller: toUrl(ports.callers),
    bySession: toUrl(ports.sessions),
    async [Symbol.asyncDispose]() {
      if (!hasEnded) child.kill("SIGTERM");
      await child.status;
      await told;
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Writes the files, with all that a whole configuration has; gives the arguments. */
async function writeFiles(
  kind: BalancerKind,
  text: string,
  folder: string,
): Promise<string[]> {
  const file = join(folder, FILES[kind]);
  if (kind === "caddy") {
    await Deno.writeTextFile(
      file,
      `{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\tgrace_period 1s\n}\n${text}`,
    );
    return ["run", "--adapter", "caddyfile", "--config", file];
  }
  await Deno.copyFile(join(SCALE, "mcp.conf"), join(folder, "mcp.conf"));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder};`);
  const whole = [
    ...["daemon off;", "master_process off;", "error_log stderr warn;"],
    ...[`pid ${folder}/pid;`, "events {}", "http {", "access_log off;"],
    ...[...temporary, text, "}"],
  ];
  await Deno.writeTextFile(file, whole.join("\n"));
  return ["-p", folder, "-c", file, "-e", "stderr"];
}

function toPlace(kind: BalancerKind, port: number): string {
  return kind === "nginx" ? `127.0.0.1:${port}` : `${port}`;
}

/** @throws {RangeError} If the file does not have one of the texts. */
function replaceAll(text: string, by: ReadonlyMap<string, string>): string {
  const missing = [...by.keys()].find((from) => !text.includes(from));
  if (missing !== undefined) throw new RangeError(`The file has no ${missing}`);
  const any = [...by.keys()].map((from) => RegExp.escape(from)).join("|");
  return text.replace(new RegExp(any, "g"), (from) => by.get(from) ?? from);
}

function freePort(): number {
  return findPort("127.0.0.1", 0);
}

async function isListening(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch {
    return false;
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}
