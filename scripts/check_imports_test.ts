import { assertEquals } from "../deps/assert.ts";
import { findFaults } from "./check_imports.ts";

Deno.test("findFaults() finds imports that point upwards, across and in circles", () => {
  const rows: [file: string, imported: string, fault: string | undefined][] = [
    ["server/main.ts", "protocol/frames.ts", undefined],
    ["server/main.ts", "server/pool/pool.ts", undefined],
    ["cli/main.ts", "launcher/serve.ts", undefined],
    ["grants/mounts.ts", "errors.ts", undefined],
    ["mod.ts", "cli/main.ts", undefined],
    [
      "server/main.ts",
      "sandbox/limits.ts",
      "server/main.ts imports sandbox/limits.ts.",
    ],
    [
      "protocol/frames.ts",
      "server/main.ts",
      "protocol/frames.ts imports server/main.ts.",
    ],
    [
      "server/sessions/sessions.ts",
      "server/pool/local_pool.ts",
      "server/sessions/sessions.ts imports server/pool/local_pool.ts.",
    ],
    ["server/pool/start_pool.ts", "server/pool/sandbox.ts", undefined],
    ["server/pool/local_pool.ts", "server/pool/sandbox.ts", undefined],
    ["launcher/serve.ts", "mod.ts", "launcher/serve.ts imports mod.ts."],
    ["new/file.ts", "errors.ts", "new/file.ts lies on no floor."],
    ["log.ts", "server/main.ts", "log.ts imports server/main.ts."],
  ];
  for (const [file, imported, fault] of rows) {
    assertEquals(
      findFaults(new Map([[file, [imported]]])),
      fault === undefined ? [] : [fault],
    );
  }
  const circle = new Map([
    ["cli/a.ts", ["cli/b.ts"]],
    ["cli/b.ts", ["cli/c.ts"]],
    ["cli/c.ts", ["cli/a.ts"]],
  ]);
  assertEquals(findFaults(circle), [
    "cli/a.ts → cli/b.ts → cli/c.ts → cli/a.ts is a circle.",
  ]);
});
