import { assert, assertEquals } from "../../../../../deps/assert.ts";
import { Share } from "../../../../shares.ts";
import { Connections } from "./connections.ts";
import { Exchange } from "./exchange.ts";

/** Connections that tell which of them were ended. */
function makeConnections(most: number) {
  const share = new Share(most);
  let now = 0;
  const connections = new Connections(share, () => now);
  const answers = new Share(1000);
  const ended: number[] = [];
  const closings = new Map<number, () => void>();
  const open = (remotePort: number) => {
    const socket = {
      ...{ remoteAddress: "10.0.0.1", remotePort },
      destroy: () => void ended.push(remotePort),
      once: (_: "close", act: () => void) => void closings.set(remotePort, act),
    };
    connections.add(socket);
    /** Begins a request; undefined if it may not. */
    return (caller?: string) => {
      const connection = connections.find(socket);
      if (!connection) return undefined;
      const exchange = new Exchange({ answers, connection });
      if (!connection.begin(exchange)) return undefined;
      const isAdmitted = caller === undefined ||
        exchange.identify({ name: caller, isKnown: true });
      return isAdmitted ? exchange : undefined;
    };
  };
  const close = (port: number) => closings.get(port)?.();
  const wait = (ms: number) => now += ms;
  /** Opens a connection, on which a request of a caller has ended. */
  const use = async (remotePort: number, caller: string) => {
    const exchange = open(remotePort)(caller);
    exchange?.end();
    await exchange?.ended;
  };
  return { open, use, ended, share, close, wait };
}

Deno.test("Connections ends the longest idle one for another", async () => {
  const { open, ended, wait } = makeConnections(3);
  const [first, , third] = [open(1), open(2), open(3)];
  const exchange = first();
  wait(2000);
  open(4);
  assertEquals(ended, [2]);
  exchange?.end();
  third()?.end();
  await exchange?.ended;
  wait(2000);
  open(5);
  assertEquals(ended, [2, 4]);
});

Deno.test("Connections ends a new one if all others are in use", () => {
  const { open, ended } = makeConnections(2);
  for (const begin of [open(1), open(2)]) assert(begin("a"));
  const third = open(3);
  assertEquals(ended, [3]);
  assertEquals(third(), undefined);
});

Deno.test("Connections ends one on which a client listens if none is idle", () => {
  const { open, ended } = makeConnections(2);
  const [, listening] = [open(1)("a"), open(2)("a")];
  if (listening) listening.isListening = true;
  open(3);
  assertEquals(ended, [2]);
});

Deno.test("Connections ends one whose requests prove nothing if none is idle", () => {
  const { open, ended } = makeConnections(2);
  assert(open(1)("a") && open(2)());
  open(3);
  assertEquals(ended, [2]);
});

Deno.test("Connections leaves half to other callers that ask", () => {
  const { open } = makeConnections(4);
  assert(open(1)("b"));
  assert(open(2)("a") && open(3)("a"));
  assertEquals(open(4)("a"), undefined);
  assert(open(5)("b"));
});

Deno.test("Connections ends one without a credential before those of callers", async () => {
  const { open, use, ended, wait } = makeConnections(3);
  await use(1, "a");
  open(2);
  await use(3, "a");
  wait(2000);
  open(4);
  assertEquals(ended, [2]);
});

Deno.test("Connections gives a new one time for its first request", async () => {
  const { open, use, ended, wait } = makeConnections(6);
  for (const port of [1, 2, 3]) await use(port, "a");
  wait(10_000);
  open(4);
  for (const port of [5, 6]) await use(port, "a");
  open(7);
  open(8);
  assertEquals(ended, [1, 2]);
  // Half is for callers with a name.
  open(9);
  assertEquals(ended, [1, 2, 4]);
});

Deno.test("Connections gives one of a caller time for its next request", async () => {
  const { open, use, ended, wait } = makeConnections(6);
  const others = [open(1), open(2)];
  for (const port of [3, 4, 5]) assert(open(port)("greedy"));
  await use(6, "a");
  others.push(open(7));
  assertEquals(ended, [1]);
  wait(10_000);
  assert(others.slice(1).every((begin) => begin("b")));
  open(8);
  assertEquals(ended, [1, 6]);
});

Deno.test("Connections lets so many requests of one wait", async () => {
  const begin = makeConnections(1).open(1);
  const exchanges = Array.from({ length: 10 }, () => begin());
  assert(exchanges.every((exchange) => exchange));
  assertEquals(begin(), undefined);
  exchanges[0]?.end();
  await exchanges[0]?.ended;
  assert(begin());
});

Deno.test("Connections ends all requests of a connection that closes", async () => {
  const { open, close } = makeConnections(1);
  const begin = open(1);
  const exchanges = [begin(), begin()];
  close(1);
  await Promise.all(exchanges.map((exchange) => exchange?.ended));
});

Deno.test("Connections gets the place of a connection back that closes, in use or not", () => {
  const { open, ended, close, share } = makeConnections(2);
  const [first] = [open(1), open(2)];
  const exchange = first();
  close(1);
  close(2);
  for (const begin of [open(3), open(1)]) assert(begin("a"));
  // The answer to a connection that was closed frees nothing twice.
  exchange?.end();
  open(4);
  assertEquals([ended, share.status.used], [[4], 2]);
});
