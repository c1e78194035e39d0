import { assertEquals } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { judge, PAGE } from "./conformance/main.ts";
import { findFaults, toPage } from "./conformance/page.ts";
import { hasSuite } from "./conformance/suite.ts";

const ignore = !await hasSuite();
if (ignore) log("The conformance suite is not run, as npm does not give it.");

Deno.test({
  name: "conformance: both servers pass, and docs/conformance.md says so",
  ignore,
  async fn() {
    const results = await judge();
    assertEquals(findFaults(results), []);
    // Git may give Windows other ends of lines.
    const page = (await Deno.readTextFile(PAGE)).replaceAll("\r\n", "\n");
    assertEquals(
      page,
      toPage(results),
      "Write the page anew: deno task conformance",
    );
  },
});
