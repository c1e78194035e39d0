import { assertEquals } from "../deps/assert.ts";
import { didYouMean } from "./did_you_mean.ts";

Deno.test("didYouMean() names the nearest candidate, or nothing", () => {
  const options = ["-c", "--deps", "--deps-file", "--timeout", "--max-timeout"];
  const near: Record<string, string> = {
    "--dep": "--deps",
    "-timeout": "--timeout",
    "--TIMEOUT": "--timeout",
    "--maxtimeout": "--max-timeout",
    "--depsfile": "--deps-file",
  };
  for (const [word, option] of Object.entries(near)) {
    assertEquals(didYouMean(word, options), ` Did you mean ${option}?`);
  }
  for (const word of ["", "-x", "--frobnicate", "t".repeat(1e6)]) {
    assertEquals(didYouMean(word, options), "");
  }
});
