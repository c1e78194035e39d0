/**
 * A server process that has no sessions but stores bytes in the place of theirs, as
 * its client says: a line of JSON for each `StoreOrder`, and for its answer.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { BrokerLine } from "../../src/server/broker_line.ts";
import { openKeeper } from "../../src/server/keeper.ts";
import {
  SavedSessions,
  type SessionMeta,
} from "../../src/server/sessions/saved_sessions.ts";
import { leaveSignals } from "../../src/signals.ts";

/** What the client may order. */
export type StoreOrder =
  | {
    do: "save";
    handle: string;
    meta: SessionMeta;
    /** The bytes are all of this value. */
    byte: number;
    size: number;
    /** Whether it waits with the last piece for the next line, and says "waiting". */
    waits?: boolean;
    /** Whether it gives up after the first piece. */
    givesUp?: boolean;
    /** Whether it is done at the end, and not now. */
    atEnd?: boolean;
  }
  | {
    do: "load";
    handle: string;
    /** Of the server, if it is another. */
    environment?: string;
    /** Whether it waits with the first piece for the next line. */
    waits?: boolean;
  }
  | { do: "remove"; handle: string };

const PIECE = 1 << 20;

if (import.meta.main) {
  leaveSignals();
  const broker = new BrokerLine();
  await broker.settings;
  let environment = "e1";
  const store = new SavedSessions(openKeeper(broker, "sessions"), {
    ...{ environment: () => environment, log: broker.log, name: "a test" },
  });
  const say = (what: unknown) => broker.sendToClient(JSON.stringify(what));
  const next = async () => {
    const line = await broker.nextFromClient();
    return line instanceof Uint8Array
      ? JSON.parse(new TextDecoder().decode(line))
      : undefined;
  };

  const save = async (order: StoreOrder & { do: "save" }) => {
    const ending = await store.save(order.handle, order.meta, async (take) => {
      for (let left = order.size; left > 0; left -= PIECE) {
        if (order.waits && left <= PIECE) {
          await say("waiting");
          await next();
        }
        await take(new Uint8Array(Math.min(PIECE, left)).fill(order.byte));
        if (order.givesUp) return false;
      }
      return true;
    });
    return ending === "saved";
  };

  const obey = async (order: StoreOrder) => {
    switch (order.do) {
      case "save":
        if (!order.atEnd) return await save(order);
        broker.onShutdown = async () => void await save(order);
        return true;
      case "load": {
        environment = order.environment ?? "e1";
        const found = await store.load(order.handle, "ada");
        environment = "e1";
        if (!found) return null;
        const hash = createHash("sha256");
        for await (const piece of found.pieces) {
          hash.update(piece);
          if (!order.waits) continue;
          order.waits = false;
          await say("waiting");
          await next();
        }
        return { meta: found.meta, sha256: hash.digest("hex") };
      }
      case "remove":
        await store.claim(order.handle, "ada");
        return await store.remove(order.handle, "ada");
    }
  };

  for (let order; (order = await next());) {
    await say(await obey(order) ?? null);
  }
  await store.close();
  await broker.end();
}
