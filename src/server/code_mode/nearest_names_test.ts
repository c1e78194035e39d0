import { assertEquals } from "../../../deps/assert.ts";
import { nearestNames } from "./nearest_names.ts";

const NAMES = ["get_time", "convert-time", "delete_file", "read.file", "x"];

Deno.test("nearestNames() finds names with other signs, case or letters, the nearest first", () => {
  assertEquals(nearestNames("getTime", NAMES)[0], "get_time");
  assertEquals(nearestNames("convert_time", NAMES)[0], "convert-time");
  assertEquals(nearestNames("delte_fil", NAMES)[0], "delete_file");
  assertEquals(nearestNames("readfile", NAMES)[0], "read.file");
});

Deno.test("nearestNames() finds nothing that is like no name, and bounds what it looks at", () => {
  assertEquals(nearestNames("qqq", NAMES), []);
  assertEquals(nearestNames("", NAMES), []);
  const many = Array.from({ length: 100_000 }, (_, at) => `tool_${at}`);
  assertEquals(nearestNames("tool".repeat(1_000_000), many).length, 3);
});
