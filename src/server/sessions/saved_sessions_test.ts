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
import { SavedSessions } from "./saved_sessions.ts";

const META = { owner: "ada", created: 1, used: 2, runs: 3 };

function open(
  channel: Parameters<typeof openKeeperChannel>[0],
  environment: () => string | undefined = () => "e1",
  answerMs = 60_000,
) {
  const lines: string[] = [];
  const log = new Log(
    { logLevel: "warning", logFormat: "text" },
    (line) => void lines.push(new TextDecoder().decode(line)),
  );
  const what = "the keeper of sessions";
  const kept = new Keeper(() => openKeeperChannel(channel), { what, answerMs });
  return {
    saved: new SavedSessions(kept, { environment, log, name: "a test" }),
    lines,
  };
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
  const keeper = new KeeperFolder(folder.path, {
    ...{ bounds: sessionBounds(1e8, 1e8), lockMs: 60_000, now: Date.now },
    onDamage() {},
  });
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
  await saved.remove("handle", "ada");
  assertEquals(await saved.load("handle", "ada"), undefined);
});

Deno.test("SavedSessions finds a session that another server stores and lets go meanwhile", async () => {
  await using folder = await tempFolder();
  const keeper = new KeeperFolder(folder.path, {
    ...{ bounds: sessionBounds(1e8, 1e8), lockMs: 60_000, now: Date.now },
    onDamage() {},
  });
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
