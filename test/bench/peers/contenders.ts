/**
 * Each way to run Python that `deno task bench peers` measures.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { NPM_PYODIDE } from "../../../src/engines/pyodide/runtime.ts";
import { untilIdle } from "../idle.ts";
import { McpPeer } from "../mcp_peer.ts";
import {
  BASELINE,
  type Contender,
  eachTimed,
  type Open,
  OURS,
} from "./contender.ts";
import { Driven } from "./driven.ts";
import { install, requirePython } from "./install.ts";
import { type Program, withPrint, withValue } from "./programs.ts";
import { runOnce } from "./run_once.ts";

const ONE_SHOT = fileURLToPath(import.meta.resolve("./one_shot.ts"));

/** By name, in the order of the tables. */
export const CONTENDERS: Record<string, Open> = {
  [OURS]: openOurs,
  "predecessor 0.0.22": openPredecessor,
  "as langchain-sandbox": openOneShot,
  "pyeryx 0.11.0": openDriven(
    "eryx",
    "WebAssembly in the caller's process",
    10,
  ),
  "pydantic-monty 1.4.0": openDriven(
    "monty",
    "process + a subset interpreter",
    20,
  ),
  [BASELINE]: openPlain,
};

async function openOurs(
  stack: AsyncDisposableStack,
  name: string,
): Promise<Contender[]> {
  const server = stack.use(McpPeer.startOurs());
  await server.connect();
  const call = eachTimed(async (program) => {
    const { structuredContent } = await server.callTool("run_python_code", {
      python_code: withValue(program),
    });
    return String(Object(structuredContent).return_value);
  });
  const shared = { walls: "process + permissions", pids: [server.pid] };
  return [
    {
      ...shared,
      name: `${name}, when idle`,
      fresh: {
        calls: 4,
        async run(program, calls) {
          const all = [];
          while (all.length < calls) {
            await untilIdle(server.pid);
            all.push(...await call(program, 1));
          }
          return all;
        },
      },
    },
    { ...shared, name: `${name}, in a row`, fresh: { calls: 10, run: call } },
  ];
}

async function openPredecessor(
  stack: AsyncDisposableStack,
  name: string,
): Promise<Contender> {
  const { folder } = await install("predecessor", stack);
  const options = {
    cwd: join(folder, "mcp_run_python", "deno"),
    env: { DENO_DIR: join(dirname(folder), "deno") },
  };
  // As its command does: a first process fetches, later ones cannot write.
  const flags = ["--allow-read=./node_modules", "--node-modules-dir=auto"];
  await runOnce(Deno.execPath(), [
    ...["run", "--allow-net", ...flags],
    ...["--allow-write=./node_modules", "src/main.ts", "noop"],
  ], options);
  // The newest that its MCP library speaks.
  const version = "2025-06-18";
  const start = () =>
    new McpPeer(["--allow-net", ...flags, "src/main.ts", "stdio"], options);
  const call = async (server: McpPeer, program: Program) => {
    const { content } = await server.callTool("run_python_code", {
      python_code: withPrint(program),
    });
    const text: string = Object(Object(content)[0]).text ?? "";
    return /<output>\n(.*)\n<\/output>/s.exec(text)?.[1] ?? text;
  };
  const server = stack.use(start());
  await server.connect(version);
  return {
    name,
    walls: "process + permissions",
    pids: [server.pid],
    fresh: {
      calls: 1,
      run: eachTimed(async (program) => {
        await using server = start();
        await server.connect(version);
        return await call(server, program);
      }),
    },
    kept: { calls: 10, run: eachTimed((program) => call(server, program)) },
  };
}

function openOneShot(
  _: AsyncDisposableStack,
  name: string,
): Promise<Contender> {
  const run = eachTimed(async (program) => {
    const line = await runOnce(Deno.execPath(), [
      ...["run", "--no-prompt"],
      ...[`--allow-read=${NPM_PYODIDE.folder}`, ONE_SHOT, withValue(program)],
    ]);
    return String(JSON.parse(line).result);
  });
  return Promise.resolve({
    name,
    walls: "process + permissions",
    pids: [],
    fresh: { calls: 1, run },
  });
}

/** A library of Python, installed for this bench. */
function openDriven(
  library: "eryx" | "monty",
  walls: string,
  freshCalls: number,
): Open {
  return async (stack, name) => {
    const driven = stack.use(
      new Driven(library, await install(library, stack)),
    );
    return {
      ...{ name, walls, pids: [driven.pid] },
      fresh: driven.mode("fresh", freshCalls),
      kept: driven.mode("kept", 20),
    };
  };
}

async function openPlain(
  stack: AsyncDisposableStack,
  name: string,
): Promise<Contender> {
  const python = await requirePython();
  const plain = stack.use(new Driven("plain", { python, folder: "" }));
  const run = eachTimed((program) =>
    runOnce(python, ["-c", withPrint(program)])
  );
  return {
    name,
    walls: "none",
    pids: [plain.pid],
    fresh: { calls: 3, run },
    kept: plain.mode("kept", 20),
  };
}
