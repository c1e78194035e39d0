import { assertEquals } from "../../deps/assert.ts";
import { earlyTask } from "./start_server.ts";

Deno.test("earlyTask() is that of the command, and no word of another command's", () => {
  const early = (line: string) => earlyTask(line.split(" "));
  for (
    const line of ["stdio", "--deps numpy stdio", "stdio --max-output 9 /data"]
  ) {
    assertEquals(early(line), "stdio", line);
  }
  assertEquals(early("pipe --code-mode"), "programs");
  const others = [
    "run x.py stdio",
    "run --code 1 pipe",
    "--verbose run - stdio",
  ];
  for (const line of [...others, "install --deps pipe", "repl", "--help", ""]) {
    assertEquals(early(line), undefined, line);
  }
});
