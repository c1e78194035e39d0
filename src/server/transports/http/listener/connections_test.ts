import { assert, assertEquals } from "../../../../../deps/assert.ts";
import { Connections } from "./connections.ts";

/** Connections that tell which of them were ended. */
function makeConnections(most: number) {
  const connections = new Connections(most);
  const ended: number[] = [];
  const closings = new Map<number, () => void>();
  const open = (remotePort: number) => {
    const socket = {
      ...{ remoteAddress: "10.0.0.1", remotePort },
      destroy: () => void ended.push(remotePort),
      once: (_: "close", act: () => void) => void closings.set(remotePort, act),
    };
    connections.add(socket);
    return () => connections.begin(socket);
  };
  return { open, ended, close: (port: number) => closings.get(port)?.() };
}

Deno.test("Connections ends the longest idle one for another", () => {
  const { open, ended } = makeConnections(3);
  const [first, , third] = [open(1), open(2), open(3)];
  const end = first();
  open(4);
  assertEquals(ended, [2]);
  end?.();
  third()?.();
  open(5);
  assertEquals(ended, [2, 4]);
});

Deno.test("Connections ends a new one if all others are in use", () => {
  const { open, ended } = makeConnections(2);
  for (const begin of [open(1), open(2)]) assert(begin());
  const third = open(3);
  assertEquals(ended, [3]);
  assertEquals(third(), undefined);
});

Deno.test("Connections lets so many requests of one wait", () => {
  const begin = makeConnections(1).open(1);
  const ends = Array.from({ length: 100 }, begin);
  assert(ends.every((end) => end));
  assertEquals(begin(), undefined);
  ends[0]?.();
  assert(begin());
});

Deno.test("Connections gets the place of a connection back that closes, in use or not", () => {
  const { open, ended, close } = makeConnections(2);
  const [first] = [open(1), open(2)];
  const end = first();
  close(1);
  close(2);
  for (const begin of [open(3), open(1)]) assert(begin());
  // The answer to a connection that was closed frees nothing twice.
  end?.();
  open(4);
  assertEquals(ended, [4]);
});
