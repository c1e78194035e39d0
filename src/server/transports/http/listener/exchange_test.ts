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
    ...{ complete: true, iterator: () => [], push: () => true },
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
    {
      ...{ scheme: "http", handler, takeTimeoutMs: TAKE_MS },
      turn: Promise.resolve(),
    },
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

Deno.test("an answer of which a client takes nothing for seconds gives way", async () => {
  const answers = new Share(1000);
  const connection = { belongTo: () => true, giveWay() {} };
  const exchange = new Exchange({ answers, connection });
  exchange.caller = "a";
  exchange.hold(1);
  assertEquals(exchange.rest(), "used");
  while (exchange.rest() !== "idle") await new Promise((r) => setTimeout(r));
  exchange.noteTaken(1);
  exchange.maybeRest();
  assertEquals(exchange.rest(), "used");
});

Deno.test("a request that has not come, and one of a client without a name, give way", () => {
  const exchange = new Exchange();
  assertEquals(exchange.rest(), "listening");
  exchange.caller = "a";
  assertEquals(exchange.rest(), "used");
  exchange.isArriving = () => true;
  assertEquals([exchange.rest("b"), exchange.rest("a")], ["listening", "used"]);
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
