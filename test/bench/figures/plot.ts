import { assert, assertEquals } from "../../../deps/assert.ts";
import { command } from "../../support/command.ts";
import { getPyodide027 } from "../../support/pyodide_027.ts";
import { untilIdle } from "../idle.ts";
import { McpPeer } from "../mcp_peer.ts";

const WARM_UP = 2;
const ROUNDS = 15;

const DRAW = `import matplotlib.pyplot as plt
x = [n / 10 for n in range(100)]
plt.plot(x, [n ** 2 for n in x], label="square")
plt.title("A plot"); plt.xlabel("x"); plt.legend()
`;
/** The same picture, as Python makes it for itself. */
const SAVE = `${DRAW}import io
file = io.BytesIO()
plt.savefig(file, format="png", bbox_inches="tight")
plt.close()
file.getvalue()[1:4]`;

/** Calls that plot, and calls that keep their plot; or why there are none. */
export type Plot = { shown: number[]; kept: number[] } | { reason: string };

/** Ours and baseline: warm calls with the real matplotlib, of Pyodide 0.27. */
export async function measurePlot(): Promise<Plot> {
  const found = await getPyodide027();
  if ("reason" in found) return found;
  const args = [
    ...["--pyodide", found.folder, "--offline"],
    ...["--deps", "matplotlib", "+pool=1"],
  ];
  const { code, stderr } = await command([...args, "install"]);
  if (code !== 0) return { reason: stderr.trim() };
  await using server = McpPeer.startOurs([...McpPeer.CACHE_ARGS, ...args]);
  await server.connect();
  const times = { shown: new Array<number>(), kept: new Array<number>() };
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    // In turns, so that noise of the machine meets both.
    const kept = await timed(server, () => keep(server));
    const shown = await timed(server, () => show(server));
    if (round < 0) continue;
    times.kept.push(kept);
    times.shown.push(shown);
  }
  return times;
}

async function timed(
  { pid }: McpPeer,
  call: () => Promise<void>,
): Promise<number> {
  await untilIdle(pid);
  const started = performance.now();
  await call();
  return performance.now() - started;
}

async function show(server: McpPeer): Promise<void> {
  const { content } = await run(server, `${DRAW}plt.show()`);
  assert(Array.isArray(content));
  const { mimeType, data } = Object(content[1]);
  assertEquals([content.length, mimeType], [2, "image/png"]);
  assert(data.startsWith("iVBORw0KGgo"));
}

async function keep(server: McpPeer): Promise<void> {
  const { content, structuredContent } = await run(server, SAVE);
  assert(Array.isArray(content) && content.length === 1);
  assertEquals(Object(structuredContent).return_value, "PNG");
}

function run(server: McpPeer, code: string): Promise<Record<string, unknown>> {
  return server.callTool("run_python_code", { python_code: code });
}
