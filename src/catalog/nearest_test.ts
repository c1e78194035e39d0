import { assertEquals } from "../../deps/assert.ts";
import { readTools } from "../../test/support/recorded_tools.ts";
import { nearestNames } from "./nearest.ts";

Deno.test("nearestNames() gives names by letters, then by words", () => {
  const names = ["filesystem", "git", "time"].flatMap(readTools)
    .map(({ name }) => name);
  const near: Record<string, string[]> = {
    "get_curent_time": ["get_current_time", "convert_time", "get_file_info"],
    "getCurrentTime": ["get_current_time", "convert_time", "get_file_info"],
    "gitstatus": ["git_status"],
    "read": ["read_file", "read_text_file", "read_media_file"],
    "directory_list": [
      "list_directory",
      "list_directory_with_sizes",
      "create_directory",
    ],
    "frobnicate": [],
    "": [],
  };
  for (const [word, expected] of Object.entries(near)) {
    assertEquals(nearestNames(word, names), expected, word);
  }
});

Deno.test("nearestNames() compares long names of thousands of tools at once", () => {
  const name = (at: number) => `${"x".repeat(120)}${at}`;
  const names = Array.from({ length: 5000 }, (_, at) => name(at));
  assertEquals(nearestNames("y".repeat(123), names), []);
  assertEquals(nearestNames("x".repeat(1e6), names), []);
});

Deno.test("nearestNames() compares some hundred names of thousands", () => {
  const names = Array.from({ length: 2000 }, (_, at) => `tool_${at}`);
  assertEquals(nearestNames("tool_x", names)[0], "tool_0");
  assertEquals(nearestNames("unlike", [...names, "unlike_it"]), []);
});
