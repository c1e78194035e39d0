import { assertEquals, assertMatch } from "../../deps/assert.ts";
import { log } from "../log.ts";
import { decodeFrame, encodeFrame, readPayload } from "../protocol/frames.ts";
import { connectState, connectStore } from "./store_process.ts";

const NO_SHELL = Deno.build.os === "windows" && "needs a shell";
if (NO_SHELL) log(`skipped: the store beside real processes: ${NO_SHELL}`);

const REQUEST = decodeFrame(encodeFrame("store", 5, {}).subarray(0, -1));

/** Sends requests to a store that is a script; gives the answers, by number. */
async function ask(script: string, ...ids: number[]) {
  const answers = new Map<number, unknown>();
  const done = Promise.withResolvers<void>();
  let starts = 0;
  const store = connectStore(() => {
    starts++;
    return new Deno.Command("/bin/sh", {
      args: ["-c", script],
      ...{ stdin: "piped", stdout: "piped", stderr: "null" },
    }).spawn();
  }, (line) => {
    const frame = decodeFrame(line.subarray(0, -1));
    assertEquals([frame.kind, answers.has(frame.id)], ["stored", false]);
    answers.set(frame.id, readPayload(frame));
    if (answers.size === ids.length) done.resolve();
    return Promise.resolve(true);
  });
  for (const id of ids) store.send({ ...REQUEST, id });
  await done.promise;
  await store.close();
  return { answers: Object.fromEntries(answers), starts };
}

Deno.test({
  name: "connectStore() answers each request once, also for a store that ends",
  ignore: Boolean(NO_SHELL),
  async fn() {
    const one = `printf '\\036stored 1 {"a":1}\\n'`;
    const gone = { type: "ended", reason: "the store has ended (code 3)" };
    assertEquals(await ask(`read a; read b; ${one}; exit 3`, 1, 2), {
      ...{ answers: { 1: { a: 1 }, 2: gone }, starts: 1 },
    });
  },
});

Deno.test({
  name: "connectStore() ends a store that says what it should not",
  ignore: Boolean(NO_SHELL),
  async fn() {
    for (const words of ["hi", "\\036stored x {}", "\\036bad 1 {}"]) {
      const { answers } = await ask(`printf '${words}\\n'; exec cat`, 1);
      assertMatch(JSON.stringify(answers), /has ended \(SIGKILL\)/, words);
    }
  },
});

Deno.test("connectStore() answers for a store that does not start", async () => {
  const answered = Promise.withResolvers<string>();
  const store = connectStore(() => {
    throw new RangeError("no more processes");
  }, (line) => {
    answered.resolve(new TextDecoder().decode(line));
    return Promise.resolve(true);
  });
  store.send(REQUEST);
  assertMatch(await answered.promise, /^.stored 5 .*"ended".*no more proc/);
  await store.close();
});

Deno.test("connectState() answers with the words of the state process", async () => {
  const answered = Promise.withResolvers<string>();
  const state = connectState(() => {
    throw new RangeError("no more processes");
  }, (line) => {
    answered.resolve(new TextDecoder().decode(line));
    return Promise.resolve(true);
  });
  state.send({ ...REQUEST, kind: "state" });
  assertMatch(
    await answered.promise,
    /^.kept 5 .*"ended".*the state process does not start: no more proc/,
  );
  await state.close();
});
