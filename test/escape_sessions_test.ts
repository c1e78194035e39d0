/**
 * Sessions that are at work beside others, and what the others notice.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { listen, type TestServer, WANTED } from "./support/server.ts";
import { shareServer } from "./support/shared_server.ts";

const openServer = () => shareServer(["--max-concurrency", "2"]);

/** Leaves tasks that are never at rest, and say so in each way that there is. */
const HAUNT = `
import asyncio, js, os
from pyodide.ffi import create_proxy
secret = "leaked"
open("/workspace/leaked", "w").write("leaked")
class Picture:
    def _repr_svg_(self): return "<svg>leaked</svg>"
seen = {"rounds": 0}
def say():
    seen["rounds"] += 1
    print("leaked")
    os.write(1, b"leaked\\n")
    try:
        display(Picture())
        notify_progress("leaked")
    except RuntimeError:
        pass
async def haunt():
    while True:
        say()
        await asyncio.sleep(0)
tasks = [asyncio.ensure_future(haunt()) for _ in range(10)]
again = create_proxy(lambda *_: (say(), js.setTimeout(again, 0)))
js.setTimeout(again, 0)
None`;

/** Calls that see whether the answer is theirs, and theirs alone. */
async function checkOthers(server: TestServer, session: unknown) {
  for (const args of [{ session }, {}, { session: "none" }]) {
    const nonce = crypto.randomUUID();
    const answer = await server.call(
      `
import asyncio, os
print(nonce)
await asyncio.sleep(0.05)
nonce, os.listdir("/workspace"), "secret" in globals(), [task for task in asyncio.all_tasks() if "haunt" in repr(task)]`,
      { global_variables: { nonce }, ...args },
      WANTED,
    );
    assertEquals(answer.returnValue, [nonce, [], false, []], answer.text);
    assertEquals(answer.output, [nonce]);
    assertEquals(answer.structured.images, undefined);
  }
}

Deno.test("escape: tasks that a session leaves at work are seen in that session alone", async () => {
  const server = await openServer();
  const { structured: { session: other } } = await server.call("None", {
    session: "new",
  });
  const haunted = await server.call(HAUNT, { session: "new" });
  assertEquals(haunted.status, "success", haunted.text);
  const { session } = haunted.structured;
  const { all, told } = listen(server);
  await checkOthers(server, other);
  assert(!JSON.stringify(told).includes("leaked"));
  assert(!all.includes("notifications/message"));
  // They were at work all the time.
  const own = await server.call("seen['rounds']", { session });
  assert(Number(own.returnValue) > 100, own.text);
  assertMatch(own.text, /leaked/);
  await server.client.callTool({
    ...{ name: "end_session", arguments: { session } },
  });
});

Deno.test("escape: a session that floods its client takes no answer of the others", async () => {
  const server = await openServer();
  const { structured: { session: other } } = await server.call("None", {
    session: "new",
  });
  const { structured: { session } } = await server.call(HAUNT, {
    session: "new",
  });
  const flood = server.call(
    "while True: print('leaked' * 1000); notify_progress('leaked')",
    { session, timeout: 5 },
  );
  await checkOthers(server, other);
  assertEquals((await flood).status, "timeout");
  const next = await server.call("secret", { session });
  assertEquals(next.returnValue, "leaked", next.text);
});

Deno.test("escape: a session takes no memory beyond its limit while it is saved", async () => {
  const server = await shareServer(["--memory", "128"]);
  const { structured: { session } } = await server.call(
    `
import gc, js
taken = []
def take(*_):
    while True: taken.append(js.Uint8Array.new(1 << 24).fill(1))
gc.callbacks.append(take)
None`,
    { session: "new" },
  );
  const { content } = await server.client.callTool({
    ...{ name: "fork_session", arguments: { session } },
  });
  // Whichever comes first: the limit, or the end of patience with the save.
  const text = JSON.stringify(content);
  assertMatch(text, /its process ended|it did not rest within 2 s/);
  const next = await server.call("None", { session });
  assertMatch(next.status, /^(session-lost|memory-limit)$/, next.text);
  assertEquals((await server.call("'alive'")).returnValue, "alive");
});
