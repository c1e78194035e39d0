import { assert, assertEquals } from "../../deps/assert.ts";
import { toNetFlags } from "./net_flags.ts";

function denied(flags: string[]): string[] {
  const [, list = ""] = /^--deny-net=(.+)$/.exec(flags[1] ?? "") ?? [];
  return list.split(",");
}

Deno.test("toNetFlags() opens nothing when nothing is granted", () => {
  assertEquals(toNetFlags([]), []);
});

Deno.test("toNetFlags() opens granted hosts, and closes addresses outside the internet", () => {
  const flags = toNetFlags(["example.com:443", "*.example.org"], {
    ownAddresses: ["8.8.4.4"],
  });
  assertEquals(flags.length, 2);
  assertEquals(flags[0], "--allow-net=example.com:443,*.example.org");
  const closed = ["127.0.0.0/8", "169.254.0.0/16", "8.8.4.4", "[::1]", "[::]"];
  for (const range of closed) assert(denied(flags).includes(range), range);
});

Deno.test("toNetFlags() opens every host of the internet, and no other", () => {
  const flags = toNetFlags(["*", "10.0.0.5"]);
  assertEquals(flags[0], "--allow-net");
  assert(denied(flags).includes("10.0.0.4"));
  assert(!denied(flags).includes("10.0.0.5"));
});

Deno.test("toNetFlags() opens an address of IPv6 by its own name, and no other", () => {
  const closed = denied(toNetFlags(["[::1]:80"]));
  assert(!closed.includes("[::1]") && closed.includes("[::]"));
  assert(closed.includes("127.0.0.0/8"));
});

Deno.test("toNetFlags() leaves localhost open if it is listed", () => {
  const closed = denied(toNetFlags(["localhost:80"]));
  assert(!closed.includes("127.0.0.1") && !closed.includes("127.0.0.0/8"));
  assert(!closed.includes("[::1]"));
  assert(!closed.includes("[::]"));
  assert(closed.includes("127.0.0.0") && closed.includes("127.0.0.2/31"));
});

Deno.test("toNetFlags() closes the port of the server on all addresses of this machine", () => {
  const own = { ownAddresses: ["192.168.1.5", "fd00::5"], ownPort: 3001 };
  const hosts = ["localhost", "127.0.0.0/8", "0.0.0.0", "192.168.1.5", "[::1]"];
  const closed = denied(toNetFlags(hosts, own));
  const addresses = ["0.0.0.0/8", "127.0.0.0/8", "192.168.1.5"];
  for (const address of [...addresses, "[::1]", "[::]", "[fd00::5]"]) {
    assert(closed.includes(`${address}:3001`), address);
  }
});
