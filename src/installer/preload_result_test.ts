import { assertEquals } from "../../deps/assert.ts";
import { Queue } from "../protocol/queue.ts";
import { readPreloadResult } from "./install_packages.ts";

const INDEX = {
  ...{ head: 1, memory: 1, tableLength: 1, ranges: [] },
  ...{ libraries: [], folders: [] },
};
const WANTED = { environment: "/e", modules: ["a", "b"] };

/** What comes of a preloader that says this, and ends so. */
async function read(text: string, ending: string) {
  const lines = new Queue<string>();
  const bytes = new TextEncoder().encode(text);
  // It comes in pieces, as it was written.
  for (let at = 0; at < bytes.length; at += 7) {
    lines.push(bytes.slice(at, at + 7).toBase64());
  }
  lines.push(`.${ending}`);
  const { preloaded, index, bytes: rest } = await readPreloadResult(
    lines,
    WANTED,
  );
  return { preloaded, index, rest: new TextDecoder().decode(rest) };
}

const answer = (preloaded: object, index?: object) =>
  `${JSON.stringify({ preloaded, index })}\n`;
const GOOD = { modules: ["a", "b"], whilePreparing: [], broken: [] };

Deno.test("readPreloadResult() gives the answer, and the snapshot behind it", async () => {
  assertEquals(await read(`${answer(GOOD, INDEX)}snapshot`, "code 0"), {
    ...{ preloaded: GOOD, index: INDEX },
    rest: "snapshot",
  });
});

Deno.test("readPreloadResult() takes no snapshot of a process that did not end well", async () => {
  for (const ending of ["SIGKILL", "code 1", "it took more than 2 s"]) {
    const reason = `The process that imports packages ended (${ending}).`;
    for (const text of [`${answer(GOOD, INDEX)}snap`, "", "half a line"]) {
      const { preloaded, index } = await read(text, ending);
      assertEquals([preloaded, index], [{
        ...{ modules: [], whilePreparing: [] },
        broken: WANTED.modules.map((module) => ({ module, reason })),
      }, undefined]);
    }
  }
});

Deno.test("readPreloadResult() tells what a process says of its own failure", async () => {
  const broken = WANTED.modules.map((module) => ({ module, reason: "why" }));
  const failed = { modules: [], whilePreparing: [], broken };
  const { preloaded } = await read(answer(failed), "code 1");
  assertEquals(preloaded, failed);
});
