import { assertEquals } from "../../deps/assert.ts";
import { isAllowed, maybeNamed } from "./allowed.ts";

Deno.test("maybeNamed() reads names with extras and versions", () => {
  assertEquals(
    ["My_Fixture", "x [a, b] >=1,<2", "x==1.0+local.1", "x!=1.*"].map(
      maybeNamed,
    ),
    [
      { name: "my-fixture", hasExtras: false, specifier: "" },
      { name: "x", hasExtras: true, specifier: ">=1,<2" },
      { name: "x", hasExtras: false, specifier: "==1.0+local.1" },
      { name: "x", hasExtras: false, specifier: "!=1.*" },
    ],
  );
});

Deno.test("maybeNamed() reads no address, path, marker or hash", () => {
  const hash = `--hash=sha256:${"0".repeat(64)}`;
  const all = [
    ...["x @ https://h.example/x.whl", "https://h.example/x.whl", "./x.whl"],
    ...["x>=1 @ file:///x.whl", 'x; python_version > "3"', "-r file"],
    ...[`x ${hash}`, `x>=1 ${hash}`, `x==1.0${hash}`, ""],
  ];
  assertEquals(all.filter(maybeNamed), []);
});

Deno.test("isAllowed() allows what is listed, and all by a star", () => {
  assertEquals(isAllowed("x", ["x"]), true);
  assertEquals(isAllowed("x", ["y", "*"]), true);
  assertEquals(isAllowed("x", ["xy", "y"]), false);
  assertEquals(isAllowed("x", []), false);
});
