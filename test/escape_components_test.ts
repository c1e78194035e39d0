/**
 * Attacks by components: on the process and on the server that run them, on files and
 * hosts that their policies do not grant, and on other callers. Most are of the
 * JavaScript that is made of a component, to which hostile names can add code.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { plantGlue, telling } from "./support/planted_glue.ts";

const SOURCES = fileURLToPath(new URL("../src/", import.meta.url));

Deno.test("escape: JavaScript of a component loads no module, neither Node's nor this program's", async () => {
  const doors = JSON.stringify(
    new URL("component/worker/doors.ts", `file://${SOURCES}`).href,
  );
  const made = "export const instantiate = async () => ({ run: () => 'in' });";
  const codes = [
    `return typeof (await import("node:v8")).setFlagsFromString;`,
    `return typeof (await import /* a */ ("node:vm")).runInThisContext;`,
    `return (await import(${doors})).nativeFetch;`,
    `return (await impimport.meta.urlort("node:vm")).runInThisContext;`,
    `return (await \\u0069mport("node:vm")).runInThisContext;`,
    `return import.meta.dirname;`,
    `import * as vm from "node:vm"; ${made}`,
    `import"node:vm"; ${made}`,
    `export * from "node:vm"; ${made}`,
    `export { default as vm } from "node:process"; ${made}`,
  ];
  for (const code of codes) {
    await using planted = await plantGlue(code);
    assertMatch(
      await planted.run(),
      /escape|Expected|Invalid|Unexpected|not defined/,
      code,
    );
    assertEquals(planted.running.strange, []);
  }
  await using named = await plantGlue(
    "const it = { import: 'import', from: 1 }; return it.import + Array.from([it.from]);",
  );
  assertEquals(await named.run(), "import1");
});

Deno.test("escape: JavaScript of a component replaces nothing that this program calls", async () => {
  const file = "fetch('file://FOLDER/granted/link').then((one) => one.text())";
  const url = "globalThis.URL = class { protocol = 'http:'; hostname = 'a'; " +
    "toString() { return 'file://FOLDER/granted/link' } }";
  await using planted = await plantGlue(
    telling({
      test: "RegExp.prototype.test = () => true",
      includes: "Array.prototype.includes = () => true",
      call: "Function.prototype.call = function () { return this }",
      get: "WeakMap.prototype.get = (key) => key",
      define: "Object.defineProperty(String.prototype, 'at', { value: 1 })",
      ...{ file, url, again: file },
    }),
    (path) => ({
      hosts: ["127.0.0.1:9"],
      paths: [
        { host: `${path}/granted`, guest: "/granted", access: ["read"] },
      ],
    }),
  );
  const { url: set, ...came } = JSON.parse(await planted.run());
  assertMatch(set, /^class/);
  for (const [name, text] of Object.entries(came)) {
    assertMatch(String(text), /^failed: TypeError/, name);
  }
  assertMatch(came.file + came.again, /only http.*only http/);
});
