import { assertEquals } from "../../../../../deps/assert.ts";
import { whyLibraries } from "./why_libraries.ts";

const SITE = "/lib/python3.12/site-packages";
const END = ".cpython-312-wasm32-emscripten.so";

Deno.test("whyLibraries() names modules, and the remedy for a package that --deps does not name", () => {
  const paths = [
    "/usr/lib/libopenblas.so",
    ...["a", "b", "c", "d"].map((name) => `${SITE}/scipy/stats/_${name}${END}`),
  ];
  assertEquals(whyLibraries(paths, ["pandas"]), [
    "the code has loaded native libraries: scipy.stats._a, scipy.stats._b, scipy.stats._c and 1 more. " +
    "Name the packages of scipy in --deps, so that they are loaded before the code",
  ]);
});

Deno.test("whyLibraries() says of a named package's other modules that they cannot be saved", () => {
  assertEquals(whyLibraries([`${SITE}/scipy/odr/__odrpack${END}`], ["scipy"]), [
    "the code has loaded native libraries that a start does not load: scipy.odr.__odrpack. " +
    "Use them in a run without a session, or in a session of their own",
  ]);
});

Deno.test("whyLibraries() tells of libraries that are not modules", () => {
  assertEquals(whyLibraries(["/workspace/own.so"], []), [
    "the code has loaded native libraries: /workspace/own.so",
  ]);
  assertEquals(whyLibraries([], []), []);
});
