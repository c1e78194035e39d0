import { EventEmitter } from "node:events";
import { assertEquals } from "../../../../../deps/assert.ts";
import { Share } from "../../../../shares.ts";
import { answer, Exchange, untilTaken } from "./exchange.ts";

/** Longer than a client takes for a piece, and shorter than for all. */
const TAKE_MS = 1000;
const PIECE_MS = 150;
const PIECES = 10;
const PIECE = 65_536;

/** Sends an answer of many pieces to a client that takes one at a time, slowly. */
async function sendTo(client: { takes: boolean }) {
  const answers = new Share(2 ** 27);
  let isEnded = false;
  const exchange = new Exchange({
    answers,
    connection: { belongTo: () => true, giveWay: () => outgoing.destroy() },
  });
  const incoming = Object.assign(new EventEmitter(), {
    ...{ method: "GET", url: "/", rawHeaders: ["Host", "localhost"] },
    ...{ complete: true, iterator: () => [] },
  });
  let sent = 0;
  const outgoing = Object.assign(new EventEmitter(), {
    writableFinished: false,
    writeHead() {},
    write(piece: Uint8Array) {
      sent += piece.length;
      if (client.takes) setTimeout(() => outgoing.emit("drain"), PIECE_MS);
      return false;
    },
    end() {
      outgoing.writableFinished = true;
      outgoing.emit("close");
    },
    destroy() {
      isEnded = true;
      outgoing.emit("close");
    },
  });
  const handler = () =>
    Promise.resolve(
      new Response(new Uint8Array(PIECES * PIECE), {
        headers: { "content-type": "application/json" },
      }),
    );
  await answer(
    // deno-lint-ignore no-explicit-any -- as much of Node as an answer needs
    ...[incoming, outgoing, exchange] as unknown as [any, any, Exchange],
    { scheme: "http", handler, takeTimeoutMs: TAKE_MS },
  );
  return { sent, isEnded, used: answers.status.used };
}

Deno.test("an answer goes on for as long as its client takes a piece in time", async () => {
  const slow = await sendTo({ takes: true });
  assertEquals(slow, { sent: PIECES * PIECE, isEnded: false, used: 0 });
});

Deno.test("an answer ends its connection if its client takes nothing in time", async () => {
  const silent = await sendTo({ takes: false });
  assertEquals(silent, { sent: PIECE, isEnded: true, used: 0 });
});

Deno.test("untilTaken() gives others the server after a large answer, as long as that is", async () => {
  const pauses: number[] = [];
  const pause = (ms: number) => Promise.resolve(void pauses.push(ms));
  for (const mebibytes of [8, 4, 1 / 32]) {
    const ended = Promise.resolve();
    await untilTaken({ ended }, mebibytes * 2 ** 20, pause);
  }
  assertEquals(pauses, [80, 40]);
});
