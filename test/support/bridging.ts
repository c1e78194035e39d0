import { fileURLToPath } from "node:url";
import { readLines } from "../../src/protocol/lines.ts";
import type { HubOrder } from "./bridging_server.ts";
import { type ConfiguredServer, writeServers } from "./downstream_servers.ts";
import { commandLine, descendants, killFamily } from "./processes.ts";

const LAUNCHER = fileURLToPath(import.meta.resolve("./bridging_launcher.ts"));

/** A launcher, its server, and bridges. */
export interface Bridging extends AsyncDisposable {
  pid: number;
  order(order: HubOrder): Promise<unknown>;
  /** Calls a tool; gives the text of its result, or the failure. */
  call(name: string, tool: string, args?: unknown): Promise<string>;
  closeInput(): Promise<void>;
  /** Ids of its bridge processes, without the shells around them. */
  bridges(): number[];
  family(): number[];
  status: Promise<Deno.CommandStatus>;
}

/** Starts a launcher of its own, with the real broker, server's line and hub. */
export async function startBridging(
  folder: string,
  servers: Record<string, ConfiguredServer>,
  { env = {} }: { env?: Record<string, string> } = {},
): Promise<Bridging> {
  const own = await Deno.makeTempDir({ dir: folder });
  const file = await writeServers(own, servers);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", LAUNCHER, file],
    env,
    ...{ stdin: "piped", stdout: "piped", stderr: "inherit" },
  }).spawn();
  const input = child.stdin.getWriter();
  const lines = readLines(child.stdout, 1 << 26);
  const order = async (order: HubOrder) => {
    const text = `${JSON.stringify(order)}\n`;
    await input.write(new TextEncoder().encode(text));
    const { value } = await lines.next();
    if (!value) throw new Error("The launcher has ended");
    return JSON.parse(new TextDecoder().decode(value));
  };
  return {
    ...{ pid: child.pid, order, status: child.status },
    async call(name, tool, args = {}) {
      const answer = await order({ do: "call", name, tool, args });
      return typeof answer === "string"
        ? answer
        : Object(answer).content[0].text;
    },
    closeInput: () => input.close(),
    bridges: () =>
      descendants(child.pid).filter((pid) =>
        commandLine(pid).startsWith(`${Deno.execPath()} run`) &&
        commandLine(pid).includes("/src/bridge/main.ts")
      ),
    family: () => [child.pid, ...descendants(child.pid)],
    async [Symbol.asyncDispose]() {
      killFamily(child.pid);
      await child.status;
      await lines.return(undefined);
      await child.stdout.cancel().catch(() => {});
      await input.abort().catch(() => {});
    },
  };
}
