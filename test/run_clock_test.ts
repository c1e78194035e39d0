/**
 * The clock of runs, which stands while their calls wait: over real processes, with
 * guests that want more time than they have.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { CODE_MODE } from "./support/command.ts";
import { someOf } from "./support/rounds.ts";
import { shareServer } from "./support/shared_server.ts";

const ANSWERING = fileURLToPath(
  import.meta.resolve("./support/answering_cli.ts"),
);
const IMPORT = `import asyncio
from mcp_runner import host_calls
from mcp_runner.host_calls import call, call_sync
`;
/** A call is late after 1.5 s, and all calls of a run may wait for 3 s. */
const SHORT = ["--call-timeout", "1.5", "+callWaits=2"];
/** Calls may wait for as long as a slow machine needs. */
const LONG = ["--cpu-time", "1"];

async function run(
  code: string,
  { session, options = SHORT }: { session?: string; options?: string[] } = {},
) {
  const { client } = await shareServer(
    [...CODE_MODE, "--timeout", "1", ...options],
    "2025-11-25",
    ANSWERING,
  );
  const started = performance.now();
  const { structuredContent } = await client.callTool({
    name: "run_python",
    arguments: {
      code: IMPORT + code,
      ...(session === undefined ? {} : { session }),
    },
  });
  const seconds = (performance.now() - started) / 1000;
  return { ...Object(structuredContent), seconds };
}

/** Code whose call is late, and which goes on. */
const LATE = `try:
    call_sync("hang", "me")
except TimeoutError as error:
    print(error)
`;

Deno.test("run clock: a call that takes longer than the run's own time is waited for", async () => {
  const { status, stdout, return_value: value, seconds } = await run(
    `${LATE}6 * 7`,
  );
  assertEquals([status, value], ["success", 42]);
  assertMatch(stdout[0], /hang was not answered within 1\.5 s.*--call-timeout/);
  assert(seconds >= 1.5, `${seconds}`);
});

Deno.test("run clock: after its calls, a run has what is left of its time, and no more", async () => {
  const { status, error, seconds } = await run(`${LATE}while True: pass`);
  assertEquals(status, "timeout");
  assertMatch(error, /after 1 s, its time limit\. Allow more with/);
  assert(seconds >= 2.5, `${seconds}`);
});

const GREEDY = {
  "makes many short calls":
    "for _ in range(900): call_sync('echo', 1)\nwhile True: pass",
  "calls one after the other": `while True:
    try:
        call_sync("hang", "me")
    except TimeoutError: pass`,
  "computes while a call waits": `asyncio.ensure_future(call("hang", "me"))
await asyncio.sleep(0)
while True: pass`,
  "asks with all it has": `for _ in range(900): host_calls._ask("hang", '"me"')
while True: pass`,
  "hides that it is stopped": `while True:
    try:
        call_sync("hang", "me")
    except BaseException: pass`,
};

const FEW = ["makes many short calls", "computes while a call waits"];

for (const [what, code] of someOf(GREEDY, FEW)) {
  Deno.test(`run clock: code that ${what} is stopped`, async () => {
    const { status, error } = await run(code, { session: "none" });
    assertEquals(status, "timeout", error);
    assertMatch(error, /after 1 s, its time limit/);
    const next = await run("6 * 7", { session: "none" });
    assertEquals(next.return_value, 42);
  });
}

Deno.test("run clock: answers that come after a run give the next run no time", async () => {
  const left = await run(`for _ in range(5):
    asyncio.ensure_future(call("hang", "left"))
await asyncio.sleep(0)
1`);
  assertEquals(left.return_value, 1);
  const { status, error } = await run("while True: pass");
  assertEquals(status, "timeout");
  assertMatch(error, /after 1 s, its time limit\. Allow more with/);
});

Deno.test("run clock: CPU time goes on while a call waits", async () => {
  const { status, error } = await run(
    GREEDY["computes while a call waits"],
    { session: "none", options: LONG },
  );
  assertEquals(status, "timeout");
  assertMatch(error, /after 1 s of CPU time, its limit/);
});
