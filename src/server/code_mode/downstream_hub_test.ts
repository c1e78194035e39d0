import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../../../deps/assert.ts";
import type { ToBridge } from "../../protocol/bridge_messages.ts";
import type { ListedServer } from "../../protocol/downstream.ts";
import { fields } from "../../protocol/fields.ts";
import { Queue } from "../../protocol/channel.ts";
import type { BridgeMessage } from "./running_bridge.ts";
import { DownstreamHub } from "./downstream_hub.ts";
import { ToolsChanged } from "./hub.ts";
import type { Kept } from "../keeper.ts";

const TOOL = { name: "echo", inputSchema: { type: "object" } };
const INTRODUCTION = { name: "one", version: "1" };
const NEVER = new AbortController().signal;

/** A bridge whose part the test plays. */
interface Played {
  name: string;
  sent: ToBridge[];
  say(message: BridgeMessage): void;
  isKilled: boolean;
  /** Answers the last list that was asked. */
  list(tools?: unknown[]): void;
}

function makeClock() {
  let now = 0;
  const timers = new Set<{ at: number; work: () => void }>();
  return {
    now: () => now,
    after(ms: number, work: () => void) {
      const timer = { at: now + ms, work };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    pass(ms: number) {
      now += ms;
      for (const timer of timers) {
        if (timer.at > now || !timers.delete(timer)) continue;
        timer.work();
      }
    },
  };
}

function open(names: string[], kept?: Partial<Kept>) {
  const clock = makeClock();
  const listed = names.map((name): ListedServer => ({
    ...{ name, transport: "stdio", source: "a test" },
    ...{ fingerprint: name, revision: name },
  }));
  const bridges: Played[] = [];
  const hub = new DownstreamHub({
    askServers: () => Promise.resolve(structuredClone(listed)),
    spawn(kind, spec) {
      const name = String(fields(spec).server);
      const { revision, changed } = listed.find((one) => one.name === name) ??
        {};
      const agreed = changed ? { isAgreed: true } : {};
      const expected = { server: name, revision, ...agreed };
      assertEquals([kind, spec], ["bridge", expected]);
      const messages = new Queue<BridgeMessage>();
      const played: Played = {
        ...{ name, sent: [], isKilled: false },
        say: (message) => messages.push(message),
        list(tools = [TOOL]) {
          const { id } = Object(
            played.sent.findLast((one) => one.type === "list"),
          );
          messages.push({
            ...{ type: "tools", id, server: INTRODUCTION },
            tools: tools as [],
          });
        },
      };
      bridges.push(played);
      return {
        messages,
        send(message: ToBridge) {
          played.sent.push(message);
          return Promise.resolve();
        },
        kill: () => void (played.isKilled = true),
      } as never;
    },
  }, {
    ...{ startTimeoutSeconds: 60, clock },
    ...(kept ? { kept: kept as Kept } : {}),
  });
  const call = (name = "one", text = "{}") =>
    hub.call(name, "echo", text, { signal: NEVER, timeoutMs: 1000 });
  return { hub, clock, listed, bridges, call };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));
const fail = (bridge: Played | undefined, reason: string) => {
  const { id } = Object(bridge?.sent.at(-1));
  bridge?.say({ type: "failed", id, kind: "connection", reason });
};

Deno.test("DownstreamHub tries a server again after 1 s, 2 s, 4 s, up to 60 s", async () => {
  const { hub, clock, bridges, call } = open(["one"]);
  await hub.servers();
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    const count = bridges.length;
    const failing = call();
    await settled();
    assertEquals(bridges.length, count + 1);
    fail(bridges.at(-1), "it ended with code 1");
    await assertRejects(failing, /it ended with code 1/);
    assertEquals(bridges.at(-1)?.isKilled, false);
    bridges.at(-1)?.say({ type: "ended", reason: "gone" });
    clock.pass(1000 * seconds - 1);
    await assertRejects(
      call(),
      /"one" is down: it ended with code 1\. It may be tried again in 1 s\./,
    );
    assertEquals(bridges.length, count + 1);
    clock.pass(1);
  }
  // A result shows that the server works.
  const working = call();
  await settled();
  const { id } = Object(bridges.at(-1)?.sent.at(-1));
  bridges.at(-1)?.say({ type: "result", id, result: "{}" });
  assertEquals(await working, "{}");
  const failing = call();
  await settled();
  fail(bridges.at(-1), "it broke");
  await assertRejects(failing, /it broke/);
  clock.pass(1000);
  const again = call();
  await settled();
  assertEquals(bridges.length, 10);
  bridges.at(-1)?.say({ type: "ended", reason: "its bridge has ended" });
  await assertRejects(again, /its bridge has ended/);
});

Deno.test("DownstreamHub starts no server whose entry has changed before the user agrees, to that entry of that name", async () => {
  const { hub, listed, bridges, call } = open(["one"]);
  const changed = { how: "changed", starts: {} } as const;
  const is = (some: object) => (listed.splice(0, 1, {
    ...{ name: "one", transport: "stdio", source: "/mcp.json" },
    ...{ fingerprint: "1", revision: "r", changed, ...some },
  }),
    hub.servers());
  await is({});
  hub.warm("one");
  const refused = /"one" is not started: its entry in \/mcp\.json was changed/;
  await assertRejects(() => call(), refused);
  await assertRejects(() => hub.tools("one"), refused);
  const unjudged = hub.maybeUnjudged("one");
  assert(unjudged);
  hub.judge(unjudged, false);
  assertEquals(hub.maybeUnjudged("one"), undefined);
  await assertRejects(() => call(), refused);
  assertEquals(bridges, []);
  hub.judge(unjudged, true);
  hub.warm("one");
  assertEquals(bridges.length, 1);
  for (const other of [{ revision: "s" }, { name: "two" }]) {
    await is(other);
    const { name = "one" } = { ...other };
    hub.warm(name);
    assert(hub.maybeUnjudged(name));
    await assertRejects(() => call(name), /is not started/);
  }
  assertEquals(bridges.length, 1);
  // All entries of now are agreed to, as at SIGHUP.
  await is({ name: "two", changed: undefined });
  hub.warm("two");
  assertEquals(bridges.length, 2);
});

Deno.test("DownstreamHub sends nothing to a server that says that it ends", async () => {
  const { hub, bridges, call } = open(["one"]);
  await hub.servers();
  const late = call();
  await settled();
  const { id } = Object(bridges[0]?.sent.at(-1));
  bridges[0]?.say({ type: "ending", reason: "it did not end" });
  bridges[0]?.say({ type: "failed", id, kind: "timeout", reason: "too late" });
  await assertRejects(late, /too late/);
  await assertRejects(call(), /"one" is down: it did not end/);
  assertEquals(bridges.length, 1);
});

Deno.test("DownstreamHub ends a server that was not used for ten minutes, and no other", async () => {
  const { hub, clock, bridges, call } = open(["one", "two"]);
  await hub.servers();
  hub.warm("one");
  const waiting = call("two");
  await settled();
  for (const bridge of bridges) bridge.list();
  await settled();
  clock.pass(599_999);
  assertEquals(bridges.map(({ isKilled }) => isKilled), [false, false]);
  clock.pass(1);
  assertEquals(bridges.map(({ isKilled }) => isKilled), [true, false]);
  await assertRejects(waiting, /no answer in time/);
  assertEquals(hub.knownTools("one"), [TOOL]);
  assertEquals(await hub.tools("one"), [TOOL]);
  assertEquals(bridges.length, 2);
  // Its end was wanted: nothing has to be waited for.
  hub.warm("one");
  assertEquals(bridges.length, 3);
});

Deno.test("DownstreamHub makes sixteen calls of a server at a time, and takes back those that are not wanted", async () => {
  const { hub, bridges } = open(["one"]);
  await hub.servers();
  const stop = new AbortController();
  const start = (signal: AbortSignal) =>
    hub.call("one", "echo", "{}", { signal, timeoutMs: 1000 });
  const calls = Array.from({ length: 17 }, () => start(NEVER));
  const unwanted = start(stop.signal);
  const late = assertRejects(unwanted, /given up before its turn/);
  await settled();
  const [bridge] = bridges;
  assert(bridge);
  const open16 = bridge.sent.filter(({ type }) => type === "call");
  assertEquals(open16.length, 16);
  stop.abort(new Error("enough"));
  await late;
  const { id } = Object(open16[0]);
  bridge.say({ type: "result", id, result: "1" });
  assertEquals(await calls[0], "1");
  await settled();
  assertEquals(bridge.sent.filter(({ type }) => type === "call").length, 17);
  const other = new AbortController();
  bridge.say({ type: "result", id: Object(open16[1]).id, result: "2" });
  await calls[1];
  const aborted = assertRejects(start(other.signal), /was given up: enough/);
  await settled();
  other.abort(new Error("enough"));
  await aborted;
  assertEquals(bridge.sent.at(-1)?.type, "cancel");
  bridge.say({ type: "ended", reason: "over" });
  await Promise.allSettled(calls);
});

Deno.test("a caller has half of a server's turns while another asks", async () => {
  const { hub, bridges } = open(["one"]);
  await hub.servers();
  const start = (caller: string, count: number) =>
    Array.from({ length: count }, () =>
      hub.call("one", "echo", `"${caller}"`, {
        ...{ signal: NEVER, timeoutMs: 1000, caller },
      }));
  const all = start("ada", 30);
  await settled();
  const [bridge] = bridges;
  assert(bridge);
  const underWay = () =>
    bridge.sent.flatMap((one) => one.type === "call" ? [one] : []);
  assertEquals(underWay().length, 16);
  all.push(...start("bob", 2));
  let answered = 0;
  const answer = async () => {
    const { id } = Object(underWay()[answered++]);
    bridge.say({ type: "result", id, result: "1" });
    await settled();
    return underWay().at(-1)?.arguments;
  };
  // All 16 were of the one that came first.
  assertEquals([await answer(), await answer()], ['"bob"', '"bob"']);
  assertEquals(underWay().length, 18);
  for (let left = 6; left > 0; left--) await answer();
  assertEquals(underWay().length, 18);
  await answer();
  assertEquals(underWay().length, 19);
  while (answered < all.length) await answer();
  assertEquals((await Promise.all(all)).length, 32);
  hub.close();
});

Deno.test("DownstreamHub knows tools of an earlier start, and lists them anew once it is asked", async () => {
  const texts = new Map<string, string>();
  const facts = { key: "", bytes: 0, created: 0, updated: 0, revision: "" };
  const kept: Partial<Kept> = {
    get(space, owner, key) {
      assertEquals([space, owner], ["catalog", ""]);
      const text = texts.get(key);
      return Promise.resolve(text === undefined ? undefined : { facts, text });
    },
    put(_space, _owner, key, { text }) {
      texts.set(key, text);
      return Promise.resolve(facts);
    },
  };
  {
    const { hub, bridges } = open(["one"], kept);
    const tools = hub.tools("one");
    await settled();
    bridges[0]?.list();
    assertEquals(await tools, [TOOL]);
  }
  texts.set("broken", "[not JSON");
  texts.set("lie", '{"tools":[5,{"name":"good","inputSchema":{}}]}');
  const { hub, bridges } = open(["one", "broken", "lie", "new"], kept);
  await hub.servers();
  assertEquals(hub.knownTools("one"), [TOOL]);
  assertEquals(hub.knownTools("broken"), undefined);
  assertEquals(hub.knownTools("lie")?.map(({ name }) => name), ["good"]);
  assertEquals(hub.knownTools("new"), undefined);
  assertEquals(bridges.length, 0);
  const tools = hub.tools("one");
  await settled();
  bridges[0]?.list([]);
  assertEquals(await tools, []);
  assertMatch(texts.get("one") ?? "", /"tools":\[\]/);
});

Deno.test("DownstreamHub goes on if its catalog cannot be kept", async () => {
  const broken = () => Promise.reject(new Error("the disk is full"));
  const { hub, bridges } = open(["one"], { get: broken, put: broken });
  const tools = hub.tools("one");
  await settled();
  bridges[0]?.list();
  assertEquals(await tools, [TOOL]);
});

Deno.test("DownstreamHub lists changed tools in the background, once a second at most", async () => {
  const { hub, clock, bridges } = open(["one"]);
  const first = hub.tools("one");
  await settled();
  const [bridge] = bridges;
  bridge?.list();
  await first;
  const lists = () => bridge?.sent.filter(({ type }) => type === "list").length;
  bridge?.say({ type: "changed" });
  await settled();
  assertEquals(lists(), 1);
  clock.pass(1000);
  bridge?.say({ type: "changed" });
  await settled();
  assertEquals(lists(), 2);
  const next = hub.tools("one");
  bridge?.list([]);
  assertEquals(await next, []);
  assertEquals(hub.knownTools("one"), []);
  assertEquals(lists(), 2);
});

Deno.test("DownstreamHub is not kept busy by a server that says again and again that its tools have changed", async () => {
  let written = 0;
  const put: Kept["put"] = () => {
    written++;
    return Promise.resolve(undefined);
  };
  const get = () => Promise.resolve(undefined);
  const { hub, clock, bridges } = open(["one"], { get, put });
  const first = hub.tools("one");
  await settled();
  const [bridge] = bridges;
  bridge?.list();
  const tools = await first;
  for (let seconds = 0; seconds < 610; seconds += 10) {
    bridge?.say({ type: "changed" });
    await settled();
    bridge?.list();
    await settled();
    // A list that says the same is the same list.
    if (seconds === 0) assertEquals(hub.knownTools("one") === tools, true);
    clock.pass(10_000);
  }
  assertEquals(written, 1);
  assertEquals(bridge?.isKilled, true);
});

Deno.test("DownstreamHub lets open calls of a changed entry end, on its old server", async () => {
  const { hub, listed, bridges, call } = open(["one"]);
  await hub.servers();
  const old = call();
  await settled();
  bridges[0]?.list();
  listed.splice(0, 1, {
    ...{ name: "one", transport: "stdio", source: "a test" },
    ...{ fingerprint: "2", revision: "2" },
  });
  await hub.servers();
  await settled();
  assertEquals(bridges[0]?.isKilled, false);
  const { id } = Object(bridges[0]?.sent.find(({ type }) => type === "call"));
  bridges[0]?.say({ type: "result", id, result: "old" });
  assertEquals(await old, "old");
  await settled();
  assertEquals(bridges[0]?.isKilled, true);
  hub.warm("one");
  assertEquals(bridges.length, 2);
});

Deno.test("DownstreamHub gives up a bridge that breaks the protocol", async () => {
  const { hub, bridges, call } = open(["one"]);
  await hub.servers();
  const failing = call();
  await settled();
  bridges[0]?.say({ type: "outside" });
  await settled();
  assertEquals(bridges[0]?.isKilled, true);
  bridges[0]?.say({ type: "ended", reason: "killed" });
  await assertRejects(failing, /gave no result of the tool "echo": killed/);
  await assertRejects(call(), /is down: its bridge broke the protocol/);
});

Deno.test("a server that lives anew is asked for its tools again, before it is called", async () => {
  for (const end of ["falls", "rests", "changes"]) {
    const { hub, bridges, clock } = open(["one"]);
    const listing = hub.tools("one");
    await settled();
    bridges[0]?.list();
    const tools = await listing;
    assertEquals(await hub.tools("one"), tools);
    if (end === "falls") bridges[0]?.say({ type: "ended", reason: "SIGKILL" });
    if (end === "changes") bridges[0]?.say({ type: "changed" });
    await settled();
    clock.pass(end === "rests" ? 700_000 : 2000);
    const options = { signal: NEVER, timeoutMs: 1000, tools };
    await assertRejects(
      () => hub.call("one", "echo", "{}", options),
      ToolsChanged,
    );
    const again = hub.currentTools("one", NEVER);
    await settled();
    bridges.at(-1)?.list([{ ...TOOL, name: "other" }]);
    assertEquals((await again).map(({ name }) => name), ["other"], end);
    hub.close();
  }
});

Deno.test("DownstreamHub keeps the servers that were asked for last, in whatever order the answers come", async () => {
  const answers: PromiseWithResolvers<ListedServer[]>[] = [];
  let started = 0;
  const hub = new DownstreamHub({
    askServers() {
      const answer = Promise.withResolvers<ListedServer[]>();
      answers.push(answer);
      return answer.promise;
    },
    spawn() {
      started++;
      const messages = new Queue<BridgeMessage>();
      return { messages, send: () => Promise.resolve(), kill() {} } as never;
    },
  }, { startTimeoutSeconds: 60, clock: makeClock() });
  const [older, newer] = [hub.servers(), hub.servers()];
  answers[1]?.resolve([{
    ...{ name: "one", transport: "stdio", source: "a test" },
    ...{ fingerprint: "one", revision: "one" },
  }]);
  await newer;
  answers[0]?.resolve([]);
  await older;
  hub.warm("one");
  assertEquals(started, 1);
  hub.close();
});
