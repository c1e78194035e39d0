import { assertEquals } from "../../deps/assert.ts";
import { MergedOutput } from "./merged_output.ts";

Deno.test("MergedOutput has both streams in their order, and a line that comes anew once", () => {
  const output = new MergedOutput();
  output.take("stdout", "first\nhalf ");
  output.take("stderr", "0%");
  output.take("stdout", "a line\r\n");
  output.take("stdout", "more\n");
  output.take("stderr", "\r100%\nend");
  output.take("stdout", "kept");
  output.take("stderr", "\r");
  assertEquals(`${output}`, "first\nhalf a line\r\nmore\n100%\nkept");
});
