/**
 * Rewound interpreters of real servers: a hostile run of a client leaves nothing to the
 * client's next run, and two callers never have one interpreter.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { ATTACKS } from "./support/rewinding/attacks.ts";
import { differ } from "./support/rewinding/differ.ts";
import inventory from "./support/rewinding/inventory.py" with { type: "text" };
import { startHttp } from "./support/http_server.ts";
import { someOf } from "./support/rounds.ts";
import { startServer, type TestClient } from "./support/server.ts";

const MARKER = "leaked_marker_of_a_run";
const OPTIONS = ["--timeout", "20", "--max-output", "400000"];
/** Where the next object is to lie, and how often a run was interrupted, say nothing. */
const PLACES = /^(interned|address|sys\.getallocatedblocks)/;

Deno.test("escape: a client's hostile run leaves nothing to its next run", async () => {
  const kinds: Record<string, number> = {};
  await using fresh = await startServer([...OPTIONS, "--fresh", "always"]);
  await using server = await startServer(OPTIONS);
  const expected = await look(fresh);
  for (
    const [name, attack] of someOf(ATTACKS, [
      ...["interned strings", "finalizers", "streams left open"],
      ...["half a character", "files everywhere", "timers of asyncio"],
      ...["timers of JavaScript", "stacks that are suspended"],
      ...["tasks that never stop", "a full stack", "patched runner"],
    ])
  ) {
    // The second finds an interpreter that was kept before its run.
    for (let round = 0; round < 2; round++) {
      await call(server, attack.leave, { MARKER });
    }
    const seen = await look(server);
    kinds[seen.kind] = (kinds[seen.kind] ?? 0) + 1;
    assertEquals(differ(name, seen.lines, expected.lines), []);
  }
  log(JSON.stringify(kinds));
  assert(kinds.rewound);
});

/** Calls whose size shows whose interpreter it is: memory that has grown never shrinks. */
const GROW = "kept = bytearray(20 << 20)\nlen(kept)";
const SIZE = "import pyodide_js\npyodide_js._module.HEAPU8.length";

Deno.test("escape: two callers of HTTP never have one interpreter, one after the other or at once", async () => {
  const [ada, bob] = [crypto.randomUUID(), crypto.randomUUID()];
  const env = { MCP_RUN_PYTHON_TOKEN: `ada:${ada},bob:${bob}` };
  const options = ["--max-concurrency", "2", "--timeout", "60"];
  await using server = await startHttp(options, { env });
  await using a = await server.connect("2025-11-25", { token: ada });
  await using b = await server.connect("2025-11-25", { token: bob });
  const small = Number((await call(b, SIZE)).value);
  let grown = 0;
  for (let round = 0; round < 6; round++) {
    await call(a, GROW);
    const sizes = round % 2 === 0
      ? [await call(b, SIZE), await call(a, SIZE)]
      : await Promise.all([call(b, SIZE), call(a, SIZE)]);
    const [ofBob, ofAda] = sizes;
    assertEquals(ofBob?.value, small);
    if (Number(ofAda?.value) > small) grown++;
  }
  // Otherwise the size would show nothing.
  assert(grown > 0);
});

/** Runs code, whatever comes of it. */
async function call(
  { client }: TestClient,
  code: string,
  globals = {},
): Promise<{ value: unknown; lines: string[]; kind: string }> {
  const { structuredContent, _meta } = await client.callTool({
    name: "run_python_code",
    arguments: { python_code: code, global_variables: globals },
  });
  const { return_value: value, output } = Object(structuredContent);
  const kind = String(_meta?.["mcp-run-python/interpreter"]);
  return { value, lines: output ?? [], kind };
}

async function look(client: TestClient): Promise<
  { kind: string; lines: string[] }
> {
  const { kind, lines } = await call(client, inventory, { LEVEL: "few" });
  return { kind, lines: lines.filter((line) => !PLACES.test(line)) };
}
