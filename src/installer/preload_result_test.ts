import { assertEquals } from "../../deps/assert.ts";
import { encodePacket, type Packet, readPackets } from "../protocol/packets.ts";
import { Queue } from "../protocol/channel.ts";
import { concat } from "../protocol/lines.ts";
import { readPreloadResult } from "./install_packages.ts";

const INDEX = {
  ...{ head: 1, memory: 1, tableLength: 1, ranges: [] },
  ...{ libraries: [], folders: [] },
};
const WANTED = { environment: "/e", modules: ["a", "b"] };

/** What comes of a preloader that says this, and ends so. */
async function read(said: Uint8Array<ArrayBuffer>, ended: string) {
  const packets = new Queue<Packet>();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  // It comes in pieces, as it was written.
  for (let at = 0; at < said.length; at += 7) {
    pieces.push(...encodePacket({}, said.slice(at, at + 7)));
  }
  const source = ReadableStream.from([...pieces, ...encodePacket({ ended })]);
  for await (const packet of readPackets(source, { line: 99, body: 99 })) {
    packets.push(packet);
  }
  const { preloaded, index, bytes: rest } = await readPreloadResult(
    packets,
    WANTED,
  );
  return { preloaded, index, rest: new TextDecoder().decode(rest) };
}

const TEXT = new TextEncoder();
const answer = (preloaded: object, index?: object, snapshot?: string) =>
  concat(encodePacket(
    { preloaded, index },
    snapshot === undefined ? undefined : TEXT.encode(snapshot),
  ));
const GOOD = { modules: ["a", "b"], whilePreparing: [], broken: [] };

Deno.test("readPreloadResult() gives the answer, and the snapshot behind it", async () => {
  assertEquals(await read(answer(GOOD, INDEX, "snapshot"), "code 0"), {
    ...{ preloaded: GOOD, index: INDEX },
    rest: "snapshot",
  });
});

Deno.test("readPreloadResult() takes no snapshot of a process that did not end well", async () => {
  for (const ending of ["SIGKILL", "code 1", "it took more than 2 s"]) {
    const reason = `The process that imports packages ended (${ending}).`;
    const whole = answer(GOOD, INDEX, "snapshot");
    const hostile = "+99999999999 {}\n";
    const said = [
      ...[whole, whole.subarray(0, -1)],
      ...["", "half a line", hostile].map((text) => TEXT.encode(text)),
    ];
    for (const one of said) {
      const { preloaded, index } = await read(one, ending);
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
