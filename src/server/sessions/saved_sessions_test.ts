import { assert, assertEquals, assertMatch } from "../../../deps/assert.ts";
import { namesIn, tempFolder } from "../../../test/support/folder.ts";
import { openKeeperChannel } from "../../../test/support/keeper_channel.ts";
import { KeeperFolder } from "../../keeper/keeper_folder.ts";
import {
  sessionBounds,
  type ToKeeper,
} from "../../protocol/keeper_messages.ts";
import { Log } from "../../protocol/log_lines.ts";
import { Keeper } from "../keeper.ts";
import { LEASE_TIMES } from "./leases.ts";
import { SavedSessions } from "./saved_sessions.ts";

const META = { owner: "ada", created: 1, used: 2, runs: 3 };

function open(
  channel: Parameters<typeof openKeeperChannel>[0],
  environment: () => string | undefined = () => "e1",
  answerMs = 60_000,
  times = LEASE_TIMES,
) {
  const lines: string[] = [];
  const log = new Log(
    { logLevel: "warning", logFormat: "text" },
    (line) => void lines.push(new TextDecoder().decode(line)),
  );
  const what = "the keeper of sessions";
  const kept = new Keeper(() => openKeeperChannel(channel), { what, answerMs });
  return {
    saved: new SavedSessions(kept, {
      ...{ environment, log, times },
      name: "a test",
    }),
    lines,
  };
}

/** A keeper of sessions that has room for all. */
function openFolder(path: string): KeeperFolder {
  return new KeeperFolder(path, {
    ...{ bounds: sessionBounds(1e8, 1e8), lockMs: 60_000, now: Date.now },
    onDamage() {},
  });
}

/** Saves so many bytes of a value. */
const save = (saved: SavedSessions, byte: number, size = 10) =>
  saved.save("handle", META, async (take) => {
    await take(new Uint8Array(size).fill(byte));
    return true;
  });

Deno.test("SavedSessions waits for no keeper that stands still", async () => {
  const asked: string[] = [];
  const channel = ({ type }: ToKeeper) => void asked.push(type);
  const { saved, lines } = open(channel, undefined, 1);
  for (let times = 0; times < 5; times++) {
    assertEquals(await save(saved, 1), "failed");
    assertEquals(await saved.load("handle", "ada"), undefined);
  }
  assertEquals(lines.length, 10);
  for (const line of lines) {
    assertMatch(
      line,
      /reason="the keeper of sessions took more than 0\.001 s"/,
    );
  }
});

Deno.test("SavedSessions gives the bytes of a session to its owner, in its environment", async () => {
  await using folder = await tempFolder();
  const keeper = openFolder(folder.path);
  let environment: string | undefined = "e1";
  const { saved, lines } = open(
    (request, body) => keeper.obey(request, body),
    () => environment,
  );
  const size = (9 << 20) + 1;
  assertEquals(saved.room, { bytes: 0, totalBytes: 0 });
  assertEquals(await save(saved, 7, size), "saved");
  const { bytes: stored, totalBytes } = saved.room;
  assert(stored >= size && stored < 2 * size && totalBytes === 1e8);
  const [name = ""] = await namesIn(folder.path);
  assert(!name.includes("handle"));
  const found = await saved.load("handle", "ada");
  assertEquals(found?.meta, META);
  let bytes = 0;
  for await (const piece of found?.pieces ?? []) {
    assert(piece.every((byte) => byte === 7));
    bytes += piece.length;
  }
  assertEquals(bytes, size);
  assertEquals(await saved.load("handle", "eve"), undefined);
  assertEquals(lines, []);
  environment = "e2";
  assertEquals(await saved.load("handle", "ada"), undefined);
  assertMatch(
    lines.join(),
    /"not loaded" .*"it is of the environment e1: other packages, or /,
  );
  environment = undefined;
  assertEquals([await save(saved, 1), lines.length], ["failed", 1]);
  environment = "e1";
  await saved.remove("handle", "eve");
  assert(await saved.load("handle", "ada"));
  const { saved: other } = open((request, body) => keeper.obey(request, body));
  assert(!await other.remove("handle", "ada"));
  assert(await saved.remove("handle", "ada"));
  assertEquals(await saved.load("handle", "ada"), undefined);
});

Deno.test("SavedSessions has taken a piece once the keeper has it: its bytes may be with the broker until then", async () => {
  await using folder = await tempFolder();
  const keeper = openFolder(folder.path);
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const { saved } = open(async (request, body) => {
    if (request.type === "append") {
      asked.resolve();
      await gate.promise;
    }
    return await keeper.obey(request, body);
  });
  const saving = saved.save("handle", META, async (take) => {
    let taken = 0;
    const all = [1, 2].map(async (byte) => {
      await take(new Uint8Array([byte]));
      taken++;
    });
    await asked.promise;
    assertEquals(taken, 0);
    gate.resolve();
    await Promise.all(all);
    return true;
  });
  assertEquals(await saving, "saved");
  const found = await saved.load("handle", "ada");
  const bytes = await Array.fromAsync(found?.pieces ?? [], (one) => [...one]);
  assertEquals(bytes.flat(), [1, 2]);
});

Deno.test("SavedSessions finds a session that another server stores and lets go meanwhile", async () => {
  await using folder = await tempFolder();
  const keeper = openFolder(folder.path);
  const { saved: one } = open((request, body) => keeper.obey(request, body));
  await one.beginRun("handle", "ada")();
  let isStored = false;
  const { saved: two } = open(async (request, body) => {
    const answer = await keeper.obey(request, body);
    if (request.type === "info" && !isStored) {
      isStored = true;
      assertEquals(await save(one, 1), "saved");
      await one.free("handle", "ada");
    }
    return answer;
  });
  const found = await two.claim("handle", "ada");
  assertEquals(found, { meta: META, isOlder: false });
  assertEquals(await two.claim("other", "ada"), undefined);
  await Promise.all([one.close(), two.close()]);
});

Deno.test("SavedSessions keeps no state of a session that was removed while it was stored", async () => {
  await using folder = await tempFolder();
  const keeper = openFolder(folder.path);
  let removing: Promise<boolean> | undefined;
  const { saved } = open((request, body) => {
    if (request.type === "append") removing = saved.remove("handle", "ada");
    return keeper.obey(request, body);
  });
  assertEquals(await save(saved, 1), "moved");
  await removing;
  assertEquals(await saved.load("handle", "ada"), undefined);
  await saved.close();
});

Deno.test("SavedSessions tells of a run that began while the state before it was stored", async () => {
  await using folder = await tempFolder();
  const keeper = openFolder(folder.path);
  const server = () => open((request, body) => keeper.obey(request, body));
  const [{ saved: one }, { saved: two }] = [server(), server()];
  await one.beginRun("handle", "ada")();
  let belongs: Promise<string> | undefined;
  const stored = await one.save("handle", META, async (take) => {
    await take(new Uint8Array(10));
    // Its interpreter is read.
    belongs = one.beginRun("handle", "ada")();
    return true;
  });
  assertEquals([stored, await belongs], ["saved", "here"]);
  await one.close();
  const found = await two.claim("handle", "ada");
  assertEquals(found, { meta: META, isOlder: true });
  await two.close();
});

Deno.test("SavedSessions tells that a state is older, though a server that has not gone on with it has let it go", async () => {
  await using folder = await tempFolder();
  const keeper = openFolder(folder.path);
  const server = () => open((request, body) => keeper.obey(request, body));
  const [{ saved: one }, { saved: two }] = [server(), server()];
  assertEquals(await save(one, 1), "saved");
  await one.beginRun("handle", "ada")();
  await one.close();
  const older = { meta: META, isOlder: true };
  const { saved: third } = server();
  for (const saved of [two, third]) {
    assertEquals(await saved.claim("handle", "ada"), older);
    await saved.free("handle", "ada");
  }
  assertEquals(await two.claim("handle", "ada"), older);
  // It is told, and stored anew.
  await two.beginRun("handle", "ada")();
  assertEquals(await save(two, 2), "saved");
  await two.free("handle", "ada");
  const newest = { meta: META, isOlder: false };
  assertEquals(await third.claim("handle", "ada"), newest);
  await third.remove("handle", "ada");
  assertEquals(await two.claim("handle", "ada"), undefined);
  await Promise.all([two.close(), third.close()]);
});

Deno.test("SavedSessions has a session that it has lost again only once it has claimed it", async () => {
  await using folder = await tempFolder();
  const keeper = openFolder(folder.path);
  const server = (silenceMs?: number) =>
    open(
      (request, body) => keeper.obey(request, body),
      ...[undefined, undefined] as const,
      silenceMs ? { ...LEASE_TIMES, silenceMs } : undefined,
    ).saved;
  // It looks at its lease each time.
  const [one, two] = [server(1), server()];
  assertEquals(await one.beginRun("handle", "ada")(), "here");
  // To the other it is dead.
  await one.close();
  await two.claim("handle", "ada");
  assertEquals(await one.beginRun("handle", "ada")(), "elsewhere");
  assertEquals(await save(two, 2), "saved");
  await two.free("handle", "ada");
  assertEquals(await save(one, 1), "moved");
  assertEquals(await one.beginRun("handle", "ada")(), "elsewhere");
  const found = await one.claim("handle", "ada");
  assertEquals(found, { meta: META, isOlder: false });
  assertEquals(await one.beginRun("handle", "ada")(), "here");
  await Promise.all([one.close(), two.close()]);
});
