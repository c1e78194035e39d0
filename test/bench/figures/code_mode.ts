import { assertEquals } from "../../../deps/assert.ts";
import { Client, StdioClientTransport } from "../../../deps/mcp_client.ts";
import { tempFolder } from "../../support/folder.ts";
import {
  type ConfiguredServer,
  npmServers,
  writeServers,
} from "../../support/downstream_servers.ts";
import { McpPeer } from "../mcp_peer.ts";

/** Calls of a round, one after another. */
const CALLS = 50;
/** Calls at a time. */
const MANY = 100;
/** Rounds before the clock starts, for V8 to compile on both sides. */
const WARM_UP = 3;
/** Servers that are configured, and not used. */
const UNUSED = 20;

/** Wall times in milliseconds. */
export interface CodeMode {
  /** A call of a downstream tool, one after another. */
  call: Beside;
  /** A hundred calls at a time, until all are done. */
  gather: Beside;
  /** From the start to a first result, with servers that are not used; without any. */
  start: Beside;
  /** The same, without code mode. */
  plainStart: number[];
  /** Warm calls in a session: of `run_python`, and of `run_python_code`. */
  session: Beside;
}

interface Beside {
  ours: number[];
  direct: number[];
}

/** In turns: ours and the official client, both on the reference server's `echo`. */
export async function measureCodeMode(
  rounds: number,
): Promise<CodeMode | { reason: string }> {
  await using folder = await tempFolder();
  const found = await npmServers(folder.path);
  if ("reason" in found) return found;
  const { everything } = found.servers;
  if (!everything || !("command" in everything)) {
    return { reason: "the reference server has no command" };
  }
  const config = await writeServers(folder.path, { everything });
  const figures: CodeMode = {
    call: { ours: [], direct: [] },
    gather: { ours: [], direct: [] },
    start: { ours: [], direct: [] },
    plainStart: [],
    session: { ours: [], direct: [] },
  };
  const state = ["--state-dir", `${folder.path}/state`];
  await using client = await connectDirectly(everything);
  {
    await using ours = McpPeer.startOurs([
      ...McpPeer.CACHE_ARGS,
      ...["--mcp-config", config, "+maxHostCalls=100000", ...state],
    ]);
    await ours.connect();
    for (let round = -WARM_UP; round < rounds; round++) {
      const direct = await callDirectly(client.client);
      const { calls, gathered } = await callFromPython(ours);
      if (round < 0) continue;
      figures.call.ours.push(...calls);
      figures.call.direct.push(...direct.calls);
      figures.gather.ours.push(gathered);
      figures.gather.direct.push(direct.gathered);
    }
  }
  const unused = Object.fromEntries(
    Array.from({ length: UNUSED }, (_, index) => [`s${index}`, everything]),
  );
  const many = await writeServers(folder.path, unused);
  for (let round = 0; round < rounds; round++) {
    figures.start.direct.push(
      await firstResult(["--code-mode", ...state], runPython),
    );
    figures.start.ours.push(
      await firstResult(["--mcp-config", many, ...state], runPython),
    );
    figures.plainStart.push(await firstResult([], runPythonCode));
  }
  figures.session = await measureSessions(["--mcp-config", many, ...state]);
  return figures;
}

/** In turns: calls that run nearly nothing, in a session each. */
async function measureSessions(options: string[]): Promise<Beside> {
  await using ours = McpPeer.startOurs([...McpPeer.CACHE_ARGS, ...options]);
  await using plain = McpPeer.startOurs();
  await ours.connect();
  await plain.connect();
  const { session } = await runPythonCode(plain, "new");
  const times: Beside = { ours: [], direct: [] };
  for (let number = -CALLS; number < MANY; number++) {
    const started = performance.now();
    await runPython(ours);
    const between = performance.now();
    await runPythonCode(plain, session);
    if (number < 0) continue;
    times.ours.push(between - started);
    times.direct.push(performance.now() - between);
  }
  return times;
}

async function runPython(server: McpPeer): Promise<void> {
  const { structuredContent } = await server.callTool("run_python", {
    code: "6 * 7",
  });
  assertEquals(Object(structuredContent).return_value, 42);
}

async function runPythonCode(
  server: McpPeer,
  session?: unknown,
): Promise<{ session: unknown }> {
  const { structuredContent } = await server.callTool("run_python_code", {
    python_code: "6 * 7",
    ...(session === undefined ? {} : { session }),
  });
  const { return_value: value, ...rest } = { ...Object(structuredContent) };
  assertEquals(value, 42);
  return { session: rest.session };
}

async function connectDirectly(
  { command, args, env }: Extract<ConfiguredServer, { command: string }>,
): Promise<{ client: Client } & AsyncDisposable> {
  const client = new Client({ name: "bench", version: "1" });
  const variables = { ...Deno.env.toObject(), ...env };
  await client.connect(
    new StdioClientTransport({
      command,
      args,
      env: variables,
      stderr: "ignore",
    }),
  );
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

async function callDirectly(
  client: Client,
): Promise<{ calls: number[]; gathered: number }> {
  const echo = async (number: number) => {
    const { content: [block] } = await client.callTool({
      name: "echo",
      arguments: { message: `${number}` },
    });
    assertEquals(block, { type: "text", text: `Echo: ${number}` });
  };
  const calls: number[] = [];
  for (let number = 0; number < CALLS; number++) {
    const started = performance.now();
    await echo(number);
    calls.push(performance.now() - started);
  }
  const started = performance.now();
  await Promise.all(Array.from({ length: MANY }, (_, number) => echo(number)));
  return { calls, gathered: performance.now() - started };
}

async function callFromPython(
  server: McpPeer,
): Promise<{ calls: number[]; gathered: number }> {
  const { structuredContent } = await server.callTool("run_python", {
    code: CALLING,
    servers: ["everything"],
  });
  const { return_value: value, ...rest } = { ...Object(structuredContent) };
  assertEquals(rest.status, "success", JSON.stringify(rest));
  return value;
}

const CALLING = `
import asyncio, time

async def echo(number):
    result = await mcp_everything.echo(message=str(number))
    assert result.text == f"Echo: {number}", result

calls = []
for number in range(${CALLS}):
    started = time.perf_counter()
    await echo(number)
    calls.append((time.perf_counter() - started) * 1000)
started = time.perf_counter()
await asyncio.gather(*map(echo, range(${MANY})))
{"calls": calls, "gathered": (time.perf_counter() - started) * 1000}
`;

async function firstResult(
  options: string[],
  run: (server: McpPeer) => Promise<unknown>,
): Promise<number> {
  const started = performance.now();
  await using server = McpPeer.startOurs([...McpPeer.CACHE_ARGS, ...options]);
  await server.connect();
  await run(server);
  return performance.now() - started;
}
