import { assertEquals } from "../../deps/assert.ts";
import { hostOf, refusal } from "./refusal.ts";

Deno.test("refusal() names the host, what it leads to, and what to list", () => {
  assertEquals(
    refusal("example.com:443"),
    'No network access to "example.com:443": ask the user to start the server with --allow-net example.com',
  );
  assertEquals(
    refusal("[::1]:8080"),
    'No network access to "[::1]:8080": ask the user to start the server with --allow-net [::1]:8080',
  );
  assertEquals(
    refusal("a.com:80", "10.0.0.5:80"),
    'No network access to "a.com:80" as it leads to 10.0.0.5, which is no address of the internet: ask the user to start the server with --allow-net a.com,10.0.0.5',
  );
});

Deno.test("hostOf() has a port, also where the URL has none", () => {
  const hosts = [
    "http://a.com/",
    "https://a.com/",
    "http://[::1]:8/",
    "https://a.com:80/",
  ];
  assertEquals(
    hosts.map((url) => hostOf(new URL(url))),
    ["a.com:80", "a.com:443", "[::1]:8", "a.com:80"],
  );
});

Deno.test("refusal() names the policy's lines where one is in use", () => {
  const policy = { deniedHosts: ["*.bad.com", "10.1.0.0/16"] };
  assertEquals(
    refusal("a.com:443", undefined, policy),
    'No network access to "a.com:443": ask the user to start the server with --allow-net a.com, or with a policy in which permissions.network.allow: [{ host: "a.com" }] would grant it',
  );
  assertEquals(
    refusal("x.bad.com:80", undefined, policy),
    'No network access to "x.bad.com:80": the policy closes it in permissions.network.deny',
  );
  assertEquals(
    refusal("a.com:80", "10.1.2.3:80", policy),
    'No network access to "a.com:80" as it leads to 10.1.2.3: the policy closes it in permissions.network.deny',
  );
  assertEquals(
    refusal("a.com:80", "10.2.0.1:80", policy).slice(-106),
    'a.com,10.2.0.1, or with a policy in which permissions.network.allow: [{ host: "10.2.0.1" }] would grant it',
  );
});
