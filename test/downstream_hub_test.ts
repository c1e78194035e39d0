/**
 * The hub of downstream servers over real bridges and real servers.
 *
 * @module
 */
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { openHub } from "./support/downstream_hub.ts";
import {
  fastServer,
  illBehaved,
  npmServers,
} from "./support/downstream_servers.ts";
import { tempFolder } from "./support/folder.ts";
import { whichOutlive } from "./support/processes.ts";

Deno.test("the hub starts none of twenty servers that are not used", async () => {
  const twenty = Array.from({ length: 20 }, (_, at) => [
    `server_${at}`,
    illBehaved("good"),
  ]);
  await using test = await openHub(Object.fromEntries(twenty));
  assertEquals((await test.hub.servers()).length, 20);
  assertEquals(test.hub.knownTools("server_3"), undefined);
  assertEquals(test.started, []);
  assertEquals(await test.call("server_3", "echo", { text: "hi" }), "hi");
  assertEquals(test.started, ["server_3"]);
});

Deno.test("the hub keeps a server warm, and lists its tools once", async () => {
  await using test = await openHub({ one: illBehaved("good") });
  const pids = await Promise.all(
    [1, 2, 3].map(() => test.call("one", "pid")),
  );
  assertEquals(new Set(pids).size, 1);
  const tools = await test.hub.tools("one");
  assertEquals(await test.hub.tools("one"), tools);
  assertEquals(test.hub.knownTools("one"), tools);
  assert(tools.some(({ name }) => name === "echo"));
  assertEquals(test.started, ["one"]);
});

Deno.test("a server that hangs at its start hangs neither the hub nor another server", async () => {
  await using test = await openHub({
    hangs: illBehaved("hangs_at_start"),
    good: illBehaved("good"),
  });
  const stop = new AbortController();
  const hanging = assertRejects(
    () => test.hub.tools("hangs", stop.signal),
    /Server "hangs" was given up/,
  );
  test.hub.warm("hangs");
  assertEquals(await test.call("good", "echo", { text: "there" }), "there");
  stop.abort(new Error("enough"));
  await hanging;
});

Deno.test("a server that does not start says why, and other servers go on", async () => {
  await using slow = await openHub({
    late: illBehaved("hangs_at_start"),
  }, { startTimeoutSeconds: 1 });
  await using test = await openHub({
    dead: illBehaved("dies_at_start", { TOKEN: "a-secret-token" }),
    absent: { command: "no-such-program-anywhere", args: [] },
    closed: { url: "http://127.0.0.1:9/mcp?key=a-secret-key" },
    good: illBehaved("good"),
  });
  const failure = async (name: string, { hub } = test) => {
    const error = await hub.tools(name).then(() => "none", String);
    assertMatch(error, /^DownstreamError: Server "/);
    return error;
  };
  const good = test.call("good", "echo", { text: "x" });
  assertMatch(
    await failure("late", slow),
    /within 1 s; .*run its command once by hand/,
  );
  assertMatch(await failure("dead"), /code 3. It printed: .*no TOKEN/s);
  assertMatch(
    await failure("absent"),
    /no program "no-such-program-anywhere" on the PATH. Install it/,
  );
  const unreachable = await failure("closed");
  assertMatch(unreachable, /127.0.0.1:9: /);
  assert(!unreachable.includes("a-secret-key"), unreachable);
  assertEquals(await good, "x");
});

Deno.test("parallel calls are not crossed, whatever the order of answers", async () => {
  await using test = await openHub({ one: illBehaved("good") });
  const both = ["first", "second"].map((text) =>
    test.call("one", "crossed", { text })
  );
  assertEquals(await Promise.all(both), ["first", "second"]);
  const texts = Array.from({ length: 50 }, (_, at) => `${at}`.repeat(at + 1));
  const answers = texts.map((text) => test.call("one", "echo", { text }));
  assertEquals(await Promise.all(answers), texts);
  assertEquals(
    await test.call("one", "wrong_id"),
    "the right one",
  );
});

Deno.test("a server that dies fails its calls alone, and starts anew after a while", async () => {
  await using test = await openHub({
    one: illBehaved("good"),
    other: illBehaved("good"),
  });
  const pid = await test.call("other", "pid");
  const hanging = assertRejects(
    () => test.call("one", "hang"),
    /ended with SIGKILL/,
  );
  await assertRejects(() => test.call("one", "die"), /It printed: Traceback/);
  await hanging;
  const refused = await test.call("one", "echo").catch(String);
  assertMatch(refused, /"one" is down: .*SIGKILL.*again in 1 s\.$/s);
  assertEquals(await test.call("other", "pid"), pid);
  // Back-off is a second; it is over when a call reaches the server again.
  let said = "";
  while (said !== "back") {
    said = await test.call("one", "echo", { text: "back" }).catch(() => {
      return new Promise<string>((resolve) => setTimeout(resolve, 50, ""));
    });
  }
  assertEquals(test.started.filter((name) => name === "one").length, 2);
});

Deno.test("a changed or removed entry ends its old server", async () => {
  await using test = await openHub({
    one: illBehaved("good", { X: "1" }),
    two: illBehaved("good"),
  });
  const pids = [
    Number(await test.call("one", "pid")),
    Number(await test.call("two", "pid")),
  ];
  test.configured.one = illBehaved("good", { X: "2" });
  delete test.configured.two;
  await test.hub.servers();
  assertEquals(await whichOutlive(pids), []);
  assertEquals(JSON.parse(await test.call("one", "env")).X, "2");
  await assertRejects(
    () => test.call("two", "echo"),
    /There is no server "two"\. There are "one"\./,
  );
});

Deno.test("the hub hears of changed tools", async () => {
  await using test = await openHub({ one: illBehaved("good") });
  const before = (await test.hub.tools("one")).length;
  await test.call("one", "change", { text: "newcomer" });
  let names: string[] = [];
  for (let left = 5000; left > 0 && !names.includes("newcomer"); left--) {
    names = (await test.hub.tools("one")).map(({ name }) => name);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assertEquals(names.length, before + 1);
});

Deno.test("the hub ends a server that was not used for longest, if there are too many", async () => {
  await using test = await openHub({
    one: illBehaved("good"),
    two: illBehaved("good"),
    three: illBehaved("good"),
  }, { mostBridges: 2 });
  const pid = Number(await test.call("one", "pid"));
  await test.hub.tools("one");
  await test.call("two", "echo", { text: "x" });
  await test.hub.tools("two");
  assertEquals(await test.call("three", "echo", { text: "x" }), "x");
  assertEquals(await whichOutlive([pid]), []);
});

Deno.test("real servers of Node and of FastMCP answer calls through the hub", async () => {
  await using folder = await tempFolder();
  const [node, fast] = [await npmServers(folder.path), await fastServer()];
  if ("reason" in node || "reason" in fast) {
    return log(
      `skipped: real servers: ${Object(node).reason ?? Object(fast).reason}`,
    );
  }
  await using test = await openHub({ ...node.servers, ...fast.servers });
  assertEquals(
    await test.call("everything", "echo", { message: "hi" }),
    "Echo: hi",
  );
  const path = `${folder.path}/note.txt`;
  await test.call("filesystem", "write_file", { path, content: "kept" });
  assertEquals(await Deno.readTextFile(path), "kept");
  assertEquals(
    await test.call("filesystem", "read_text_file", { path }),
    "kept",
  );
  const entities = [{ name: "Ada", entityType: "person", observations: [] }];
  await test.call("memory", "create_entities", { entities });
  assertMatch(await test.call("memory", "read_graph"), /Ada/);
  const thought = { thought: "t", thoughtNumber: 1, totalThoughts: 1 };
  await test.call("sequential-thinking", "sequentialthinking", {
    ...thought,
    nextThoughtNeeded: false,
  });
  assertEquals(await test.call("fast", "add", { a: 2, b: 3 }), "5");
});
