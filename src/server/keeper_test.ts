import { assert, assertEquals, assertRejects } from "../../deps/assert.ts";
import { tempFolder } from "../../test/support/folder.ts";
import { openKeeperChannel } from "../../test/support/keeper_channel.ts";
import { KeeperFolder } from "../keeper/keeper_folder.ts";
import {
  type FromKeeper,
  STATE_BOUNDS,
  type ToKeeper,
} from "../protocol/keeper_messages.ts";
import { Keeper, KeeperError } from "./keeper.ts";

const FACTS = {
  ...{ key: "k", bytes: 1, created: 1, updated: 2, revision: "r" },
};
const PLACE = ["memory", "ada", "k"] as const;

/** A keeper that says these words, one after another. */
function keptBy(...words: (FromKeeper | "ended" | undefined)[]) {
  const asked: ToKeeper[] = [];
  const open = () =>
    openKeeperChannel((request) => words[asked.push(request) - 1]);
  const kept = new Keeper(open, { what: "the keeper", answerMs: 1 });
  return { kept, asked };
}

const isKept = (pattern: RegExp) => (error: unknown) =>
  error instanceof KeeperError && pattern.test(error.message);

Deno.test("Keeper waits for no process that stands still", async () => {
  const { kept } = keptBy();
  for (let turn = 0; turn < 9; turn++) {
    await assertRejects(
      () => kept.get(...PLACE),
      isKept(
        /^Cannot reach what is kept: the keeper took more than 0\.001 s\.$/,
      ),
    );
  }
});

Deno.test("Keeper asks again what may be done twice, and nothing else", async () => {
  const done: FromKeeper = { type: "done", facts: FACTS };
  const words = ["ended", done, "ended", "ended", "ended"] as const;
  const { kept, asked } = keptBy(...words);
  assertEquals(await kept.put(...PLACE, { text: "1" }), FACTS);
  assertEquals(asked.length, 2);
  const ifRevision = "r";
  await assertRejects(
    () => kept.put(...PLACE, { text: "1", ifRevision }),
    isKept(/Cannot reach what is kept: the keeper has ended \(code 3\)\./),
  );
  assertEquals(asked.length, 3);
  await assertRejects(() => kept.list("memory", "ada"), isKept(/has ended/));
  assertEquals(asked.length, 5);
});

Deno.test("Keeper tells a refusal from a failure", async () => {
  const { kept } = keptBy(
    { type: "full", reason: "too much" },
    { type: "failed", reason: "broken" },
    { type: "damaged", reason: "it ends early" },
    { type: "conflict" },
  );
  const put = () => kept.put(...PLACE, { text: "1" });
  await assertRejects(put, (error) => error instanceof RangeError);
  await assertRejects(put, isKept(/^Cannot keep "k" in memory: broken\.$/));
  await assertRejects(put, isKept(/damaged \(it ends early\)\. Delete it, or/));
  assertEquals(await put(), undefined);
});

/** A real folder, whose keeper waits before or after it commits. */
async function openLate(folder: string) {
  const keeper = new KeeperFolder(folder, {
    ...{ bounds: STATE_BOUNDS, lockMs: 60_000, now: Date.now },
    onDamage() {},
  });
  const late = { before: false, after: false, ends: false };
  const goOn = Promise.withResolvers<void>();
  const settled = Promise.withResolvers<void>();
  const open = () =>
    openKeeperChannel(async (request, body) => {
      const isCommit = request.type === "commit";
      if (isCommit && late.before) await goOn.promise;
      const said = await keeper.obey(request, body);
      if (isCommit && late.after) await goOn.promise;
      if (isCommit && late.ends) return "ended";
      if (request.type === "delete") settled.resolve();
      return said;
    });
  const kept = new Keeper(open, { what: "the keeper", answerMs: 300 });
  await kept.put(...PLACE, { text: "older" });
  const commit = async () => {
    const draft = await kept.begin(...PLACE, { size: 5 });
    await draft.append(new TextEncoder().encode("newer"));
    return await draft.commit();
  };
  const text = async () => (await kept.get(...PLACE))?.text;
  const settle = async () => {
    goOn.resolve();
    await settled.promise;
  };
  return { late, commit, text, settle };
}

Deno.test("fault: a commit that was told as failed was in its place later", async () => {
  await using folder = await tempFolder();
  const { late, commit, text, settle } = await openLate(folder.path);
  late.before = true;
  await assertRejects(commit, isKept(/took more than 0\.3 s/));
  await settle();
  assertEquals(await text(), "older");
});

Deno.test("a commit whose answer is late is taken back, so that no stale value is read", async () => {
  await using folder = await tempFolder();
  const { late, commit, text, settle } = await openLate(folder.path);
  late.after = true;
  await assertRejects(commit, isKept(/took more than 0\.3 s/));
  await settle();
  assertEquals(await text(), undefined);
});

Deno.test("a commit whose keeper ends before it answers is told as it is", async () => {
  await using folder = await tempFolder();
  const { late, commit, text } = await openLate(folder.path);
  late.ends = true;
  const { facts } = await commit();
  assertEquals([facts.bytes, await text()], [5, "newer"]);
  assert(facts.revision);
});
