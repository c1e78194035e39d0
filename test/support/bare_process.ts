import { ENTRIES } from "../../src/launcher/program.ts";
import { kill, spawnFlags } from "../../src/launcher/spawn.ts";
import { toScopePaths } from "../../src/launcher/find_scope_paths.ts";
import type { EngineRow } from "../../src/engines/engine.ts";
import { ENGINE } from "../../src/engines/index.ts";
import { concat, readLines } from "../../src/protocol/lines.ts";
import {
  decodePacket,
  encodePacket,
  type Packet,
  readPackets,
} from "../../src/protocol/packets.ts";
import { fields } from "../../src/protocol/fields.ts";
import { assertEquals } from "../../deps/assert.ts";
import {
  type FromSandbox,
  splitBytes,
  type ToSandbox,
} from "../../src/protocol/sandbox_messages.ts";
import type { RunSetup } from "../../src/protocol/run_setup.ts";
import { SETUP } from "./request.ts";
import { CACHE, command } from "./command.ts";
import { bytesOf } from "./pieces.ts";

/** One of this program's processes by itself: the test is its broker. */
export interface BareProcess extends AsyncDisposable {
  pid: number;
  /** Writes a line. */
  write(line: string): Promise<void>;
  /** Ends its input. */
  close(): Promise<void>;
  /** Lines that it writes. */
  lines: AsyncGenerator<string>;
  /** Its exit code, and all that it logged; waits for its end. */
  ended(): Promise<{ code: number; stderr: string }>;
}

/** Starts a server process that has no broker. */
export function startBareServer(): BareProcess {
  return start("server", [], JSON.stringify("stdio"));
}

/** A sandbox process without server and broker. */
export interface BareSandbox extends Omit<BareProcess, "lines"> {
  /** Packets that it writes; lines start with `token`. */
  packets: AsyncGenerator<Packet>;
  /** Sends a message, whose bytes may be given beside it. */
  send(message: ToSandbox, body?: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Waits for a message of this type; others are dropped. */
  until(type: FromSandbox["type"]): Promise<void>;
  /** Waits until it is ready, or has ended; whether it is ready. */
  maybeReady(): Promise<boolean>;
}

/**
 * Starts a sandbox process with small limits, and tells it its setup.
 *
 * @param options.args Choose its environment.
 * @param options.hosts What its runs may reach.
 */
export async function startBareSandbox(
  more: Partial<RunSetup> = {},
  { args = [], memoryMiB = 128, hosts = [], row = ENGINE }: SandboxChoice = {},
): Promise<BareSandbox> {
  const environment = row.environmentFiles ? await environmentOf(args) : "";
  const { files: runtime, places: own } = await row.findRuntime(
    args.includes("--pyodide")
      ? args[args.indexOf("--pyodide") + 1]
      : undefined,
  );
  const places = {
    ...toScopePaths(CACHE, own),
    environment: environment === "" ? [] : [environment],
    ...(hosts.length > 0 ? { hosts } : {}),
  };
  const files = { engine: { host: row.host.href }, runtime, environment };
  const limits = { memoryMiB, maxFilesMiB: 1, maxFiles: 100 };
  const process = start(
    "sandbox",
    [...spawnFlags("sandbox", places), ...row.flags(memoryMiB)],
    JSON.stringify({ ...files, ...limits, allowNet: hosts }),
  );
  await process.write(TOKEN);
  const setup = { ...SETUP, ...more };
  const { packets } = process;
  const send = (...[message, body]: Parameters<BareSandbox["send"]>) => {
    const [rest, bytes = body] = splitBytes(message);
    return process.writeBytes(
      concat(encodePacket(rest, bytes && bytesOf(bytes))),
    );
  };
  await send({ type: "setup", setup });
  const nextType = async () => {
    const { value } = await packets.next();
    return value && fields(decodePacket(withoutToken(value))).type;
  };
  return {
    ...{ ...process, packets, send },
    maybeReady: async () => await nextType() === "ready",
    async until(type) {
      for (let next; (next = await nextType()) !== type;) {
        if (next === undefined) throw new Error(`it said no "${type}"`);
      }
    },
  };
}

const TOKEN = "token";

/** A packet of a sandbox process as the server gets it. */
export function withoutToken({ line, body }: Packet): Packet {
  assertEquals(new TextDecoder().decode(line.subarray(0, 5)), TOKEN);
  return { line: line.subarray(TOKEN.length), body };
}

export interface SandboxChoice {
  args?: string[];
  memoryMiB?: number;
  hosts?: string[];
  /** Of another engine. */
  row?: EngineRow;
}

const environments = new Map<string, Promise<string>>();

/** The folder of the environment of these options; installs it once. */
function environmentOf(args: string[]): Promise<string> {
  const key = JSON.stringify(args);
  const known = environments.get(key);
  if (known) return known;
  const installed = command([...args, "install"]).then(({ stdout, stderr }) => {
    const [, folder] = /^in (.+)$/m.exec(stdout) ?? [];
    if (folder === undefined) throw new Error(`${stdout}${stderr}`);
    return folder;
  });
  environments.set(key, installed);
  return installed;
}

interface StartedProcess extends BareProcess {
  /** Its output as packets, instead of lines. */
  packets: AsyncGenerator<Packet>;
  writeBytes(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
}

function start(
  name: "server" | "sandbox",
  flags: string[],
  argument: string,
): StartedProcess {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", ...flags, ENTRIES[name].href, argument],
    ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
  }).spawn();
  const input = child.stdin.getWriter();
  const stderr = new Response(child.stderr).text();
  const decoder = new TextDecoder();
  const lines = async function* () {
    for await (const line of readLines(child.stdout, 1 << 26)) {
      yield decoder.decode(line);
    }
  }();
  const most = { line: 1 << 26, body: 1 << 26 };
  const packets = readPackets(child.stdout, most, () => TOKEN.length);
  return {
    ...{ pid: child.pid, lines, packets },
    writeBytes: (bytes) => input.write(bytes),
    write: (line) => input.write(new TextEncoder().encode(`${line}\n`)),
    close: () => input.close(),
    async ended() {
      const { code } = await child.status;
      return { code, stderr: await stderr };
    },
    async [Symbol.asyncDispose]() {
      kill(child);
      await lines.return(undefined);
      await packets.return(undefined);
      await child.stdout.cancel().catch(() => {});
      await child.status;
      await stderr;
      await input.abort().catch(() => {});
    },
  };
}
