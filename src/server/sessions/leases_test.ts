import { assert, assertEquals, assertMatch } from "../../../deps/assert.ts";
import { openKeeperChannel } from "../../../test/support/keeper_channel.ts";
import { tempFolder } from "../../../test/support/folder.ts";
import { KeeperFolder } from "../../keeper/keeper_folder.ts";
import {
  sessionBounds,
  type ToKeeper,
} from "../../protocol/keeper_messages.ts";
import { Keeper } from "../keeper.ts";
import { Leases, type LeaseTimes } from "./leases.ts";

const TIMES = { beatMs: 20, silenceMs: 2000, moveMs: 60 };

/** A server that shares a folder; what it asks of its keeper can be held. */
function openServer(
  folder: string,
  name: string,
  times: Partial<LeaseTimes> = {},
) {
  const keeper = new KeeperFolder(folder, {
    ...{ bounds: sessionBounds(1e6, 1e7), lockMs: 60_000, now: Date.now },
    onDamage() {},
  });
  const server = {
    /** Whether its requests wait, as if its process stood still. */
    held: undefined as Promise<void> | undefined,
    /** Answers a request in the keeper's place. */
    answer: (_request: ToKeeper): "failed" | undefined => undefined,
  };
  const kept = new Keeper(
    () =>
      openKeeperChannel(async (request, body) => {
        await server.held;
        return server.answer(request)
          ? { type: "failed", reason: "its disk is full" }
          : await keeper.obey(request, body);
      }),
    { what: "the keeper", answerMs: 60_000 },
  );
  const wanted: string[] = [];
  const leases = new Leases(kept, {
    name,
    log: { write() {} },
    times: { ...TIMES, ...times },
    onWanted: (key) => wanted.push(key),
  });
  return {
    ...{ server, kept, leases, wanted },
    [Symbol.asyncDispose]: () => leases.close(),
  };
}

Deno.test("Leases gives a session to the server that has it, until that lets it go", async () => {
  await using folder = await tempFolder();
  await using one = openServer(folder.path, "one");
  await using two = openServer(folder.path, "two");
  assert(await one.leases.noteRun("ada", "k", ""));
  assert(!await two.leases.noteRun("ada", "k", ""));
  assertEquals(await two.leases.claim("ada", "k"), {
    ...{ elsewhere: "one has it", seconds: 1 },
  });
  assertEquals(one.wanted.includes("k"), true);
  await one.leases.free("ada", "k");
  assertEquals(await two.leases.claim("ada", "k"), { ranOn: undefined });
  assert(!await one.leases.isOwn("ada", "k"));
});

Deno.test("Leases takes a session over from a server that has ended, and tells on which state code ran last", async () => {
  await using folder = await tempFolder();
  await using one = openServer(folder.path, "one");
  await using two = openServer(folder.path, "two");
  await one.leases.noteRun("ada", "k", "r1");
  await one.leases.close();
  assertEquals(await two.leases.claim("ada", "k"), { ranOn: "r1" });
  // It is told again until code has run on another state.
  assertEquals(await two.leases.claim("ada", "k"), { ranOn: "r1" });
  assert(await two.leases.noteRun("ada", "k", "r2"));
  assertEquals(await two.leases.claim("ada", "k"), { ranOn: "r2" });
});

Deno.test("Leases takes no session from a server that gives signs of life, and all from a silent one, which then gives no result", async () => {
  await using folder = await tempFolder();
  await using one = openServer(folder.path, "one");
  await using two = openServer(folder.path, "two");
  for (const key of ["k", "l"]) await one.leases.noteRun("ada", key, "");
  assertMatch(JSON.stringify(await two.leases.claim("ada", "k")), /one has it/);
  const { promise, resolve } = Promise.withResolvers<void>();
  one.server.held = promise;
  for (const key of ["k", "l"]) {
    let claimed;
    while (!claimed || "elsewhere" in claimed) {
      claimed = await two.leases.claim("ada", key);
    }
    assertEquals(claimed, { ranOn: "" });
  }
  resolve();
  one.server.held = undefined;
  assert(!await one.leases.isOwn("ada", "k"));
  // It looks at its other session as it gives a sign of life again.
  let lists = 0;
  one.server.answer = ({ type }) => {
    if (type === "list") lists++;
    return undefined;
  };
  assert(await one.leases.noteRun("ada", "other", ""));
  while (lists < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  assert(!await one.leases.isOwn("ada", "l"));
  assert(!await one.leases.noteRun("ada", "k", ""));
});

Deno.test("Leases are a server's own on a full disk, on which it can give no sign of life", async () => {
  await using folder = await tempFolder();
  await using one = openServer(folder.path, "one", { silenceMs: 1 });
  const { leases, server } = one;
  await leases.noteRun("ada", "k", "");
  server.answer = ({ type }) => type === "put" ? "failed" : undefined;
  assert(await leases.isOwn("ada", "k"));
});

Deno.test("Leases of one owner are not another's, though the key is the same", async () => {
  await using folder = await tempFolder();
  await using one = openServer(folder.path, "one");
  const { leases } = one;
  await leases.noteRun("ada", "k", "");
  assertEquals(leases.revision("eve", "k"), undefined);
  assert(!await leases.isOwn("eve", "k"));
  await leases.free("eve", "k");
  assert(await leases.isOwn("ada", "k"));
});

Deno.test("nothing of a session is committed or deleted without the lease that its server has", async () => {
  await using folder = await tempFolder();
  await using one = openServer(folder.path, "one");
  const { kept, leases } = one;
  await leases.noteRun("ada", "k", "");
  const lease = leases.revision("ada", "k");
  assert(lease);
  const draft = async () => {
    const draft = await kept.begin("sessions", "ada", "k", {});
    await draft.append(new Uint8Array(3));
    return draft;
  };
  const refused = (work: Promise<unknown>) =>
    work.then(() => "", ({ message }) => message);
  const late = await draft();
  assertMatch(await refused(late.commit("another")), /another server has it/);
  await (await draft()).commit(lease);
  const other = { ifLease: "another" };
  assert(!await kept.delete("sessions", "ada", "k", other));
  assert(await kept.info("sessions", "ada", "k"));
  assert(await kept.delete("sessions", "ada", "k", { ifLease: lease }));
});

Deno.test("Leases gives a sign of life before a server that has been silent has a session again", async () => {
  await using folder = await tempFolder();
  const times = { beatMs: 60_000, silenceMs: 1 };
  await using one = openServer(folder.path, "one", times);
  await one.leases.noteRun("ada", "k", "");
  await one.leases.free("ada", "k");
  const written: string[] = [];
  one.server.answer = (request) => {
    if (request.type === "put") written.push(request.space);
    return undefined;
  };
  const silent = performance.now() + times.silenceMs;
  while (performance.now() < silent) await Promise.resolve();
  await one.leases.noteRun("ada", "l", "");
  assertEquals(written, ["servers", "leases"]);
});
