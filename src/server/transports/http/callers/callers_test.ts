import { assertEquals } from "../../../../../deps/assert.ts";
import { toOwner, toUserName } from "./callers.ts";
import { maybeNamedCaller } from "./callers.ts";

Deno.test("toUserName() gives no two users one name", () => {
  const long = "a".repeat(201);
  const name = toUserName(long);
  assertEquals(name.length < 100, true);
  const like = name.slice(name.indexOf(":") + 1);
  const others = [like, name, `${long}a`, "ada", "oauth:ada", "a".repeat(200)];
  const names = others.map(toUserName);
  assertEquals(new Set([...names, name]).size, others.length + 1);
  assertEquals(names[3], "oauth:ada");
});

Deno.test("maybeNamedCaller() names a caller of its token alone", () => {
  const name = (named: string | null) => maybeNamedCaller("proxy", named);
  assertEquals(name("ada@example.com"), "proxy/ada@example.com");
  for (const wrong of [null, "", "a b", "a,b", "\u00e4", "a".repeat(201)]) {
    assertEquals(name(wrong), undefined);
  }
});

Deno.test("toOwner() trusts two clients as one by their credential alone, or by an MCP session", () => {
  const ada = { name: "ada", isKnown: true };
  const local = { name: "local", isKnown: false };
  const realms = [toOwner(ada), toOwner(ada, "1"), toOwner(local, "1")]
    .map(({ realm }) => realm);
  assertEquals(realms, ["ada", "ada", "1"]);
  assertEquals(toOwner(local).realm, undefined);
});
