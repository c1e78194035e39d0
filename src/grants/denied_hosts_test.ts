import { assertEquals } from "../../deps/assert.ts";
import { applyDenials, maybeUnclear, notAllDenied } from "./denied_hosts.ts";

/** Granted and denied hosts; what is left, and the denials that Deno is told. */
const CASES: [hosts: string, denied: string, left: string, cuts: string][] = [
  ["a.com b.com", "", "a.com b.com", ""],
  ["a.com b.com", "a.com", "b.com", ""],
  ["a.com:80 a.com:443", "a.com:80", "a.com:443", ""],
  ["a.com:80", "a.com", "", ""],
  ["a.com", "a.com:80", "a.com", "a.com:80"],
  ["*.a.com", "b.a.com", "*.a.com", "b.a.com"],
  // Deno would let the port of the grant win.
  ["*.a.com:443", "b.a.com", "*.a.com:443", "b.a.com:443"],
  ["*.a.com:443", "b.a.com:80", "*.a.com:443", ""],
  ["b.a.com *.c.a.com", "*.a.com", "", ""],
  ["b.a.com", "*.a.com:80", "b.a.com", "b.a.com:80"],
  // A wildcard is the hosts below.
  ["a.com", "*.a.com", "a.com", ""],
  ["xa.com", "*.a.com", "xa.com", ""],
  ["*.a.com", "a.com", "*.a.com", "a.com"],
  ["*", "a.com *.b.com", "*", "a.com *.b.com"],
  ["a.com *", "*", "", ""],
  // Deno would let the more specific range win, which may be the grant.
  ["10.0.0.0/14", "10.1.0.0/16", "10.0.0.0/16 10.2.0.0/15", "10.1.0.0/16"],
  ["10.1.2.3 10.2.0.0/16:80", "10.0.0.0/8", "", "10.0.0.0/8"],
  ["10.0.0.0/8", "10.1.2.3:80", "10.0.0.0/8", "10.1.2.3:80"],
  // A name may lead to it.
  ["a.com", "10.0.0.1 [::2]", "a.com", "10.0.0.1 [::2]"],
  ["[::2]", "[::2]", "", "[::2]"],
  // What Deno cannot tell apart is closed.
  ["*.a.com c.com", "*.b.a.com", "c.com", ""],
  ["*.a.com", "*.b.a.com:80", "*.a.com", "*.b.a.com:80"],
];

const list = (text: string) => text.split(" ").filter((one) => one !== "");

for (const [hosts, denied, left, cuts] of CASES) {
  Deno.test(`applyDenials() leaves of ${hosts} without ${denied || "any"}: ${left || "none"}`, () => {
    const wanted = { hosts: list(hosts), deniedHosts: list(denied) };
    assertEquals(applyDenials(wanted), {
      hosts: list(left),
      deniedHosts: list(cuts),
    });
    // What was applied once stays as it is.
    const twice = applyDenials({
      hosts: list(left),
      deniedHosts: list(denied),
    });
    assertEquals(twice.hosts, list(left));
  });
}

Deno.test("applyDenials() is what Deno then does with each host", async () => {
  const grants = {
    hosts: ["*.a.com", "*.b.com:443", "10.0.0.0/8", "c.com"],
    deniedHosts: ["a.com", "x.a.com", "x.b.com", "10.1.0.0/16", "c.com:80"],
  };
  const { hosts, deniedHosts } = applyDenials(grants);
  const asked = {
    ...{
      "y.a.com:80": "granted",
      "a.com:80": "denied",
      "x.a.com:80": "denied",
    },
    ...{ "y.b.com:443": "granted", "x.b.com:443": "denied" },
    ...{ "10.2.0.1:80": "granted", "10.1.0.1:80": "denied" },
    ...{ "c.com:443": "granted", "c.com:80": "denied", "d.com:80": "prompt" },
  };
  const code = `console.log(JSON.stringify(${
    JSON.stringify(Object.keys(asked))
  }.map((host) => Deno.permissions.querySync({ name: "net", host }).state)))`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-config", "--no-prompt"],
      `--allow-net=${hosts.join(",")}`,
      `--deny-net=${deniedHosts.join(",")}`,
      `data:text/javascript,${encodeURIComponent(code)}`,
    ],
  }).output();
  const states: string[] = JSON.parse(new TextDecoder().decode(stdout));
  assertEquals(
    Object.fromEntries(
      Object.keys(asked).map((host, at) => [host, states[at]]),
    ),
    asked,
  );
});

Deno.test("notAllDenied() leaves hosts as they are written", () => {
  const hosts = ["10.0.0.0/8", "a.com", "*.b.com"];
  const deniedHosts = ["10.1.0.0/16", "a.com"];
  assertEquals(notAllDenied({ hosts, deniedHosts }), ["10.0.0.0/8", "*.b.com"]);
});

Deno.test("maybeUnclear() finds a wildcard within another", () => {
  const hosts = ["a.com", "*.b.com"];
  assertEquals(
    maybeUnclear({ hosts, deniedHosts: ["*.c.com", "x.b.com"] }),
    undefined,
  );
  assertEquals(maybeUnclear({ hosts, deniedHosts: ["*.c.b.com"] }), {
    host: "*.b.com",
    denied: "*.c.b.com",
  });
});
