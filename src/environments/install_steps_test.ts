import { assertEquals } from "../../deps/assert.ts";
import { followInstall } from "./install_steps.ts";
import type { InstallEvent } from "./phase_1/messages.ts";

const step = (text: string): InstallEvent => ({ type: "step", text });
const installing = (name: string, number: number): InstallEvent => ({
  ...{ type: "package", name, number, count: 2 },
});

Deno.test("followInstall() counts packages, and grows until its total", () => {
  const follow = followInstall();
  const events: InstallEvent[] = [
    step("Preparing Python"),
    step("Resolving pandas"),
    { type: "warning", text: "a warning is not progress" },
    {
      type: "downloads",
      files: [{ file: "a.whl", size: 75 }, { file: "b.whl" }],
    },
    installing("numpy", 1),
    { type: "download", file: "a.whl", received: 15, total: 75 },
    { type: "download", file: "a.whl", received: 15, total: 75 },
    { type: "downloaded", file: "a.whl", size: 75, local: false },
    { type: "download", file: "b.whl", received: 10, total: 25 },
    installing("pandas", 2),
    { type: "downloaded", file: "b.whl", size: 25, local: true },
    step("Compiling"),
    step("Importing pandas"),
    step("Installed numpy 2.0, pandas 3.0"),
  ];
  const steps = events.flatMap((event) => follow(event) ?? []);
  assertEquals(
    steps.map(({ message, progress, total }) => [message, progress, total]),
    [
      ["Preparing Python", 1, undefined],
      ["Resolving pandas", 2, undefined],
      ["Installing numpy 1/2", 3, 8],
      ["Installing numpy 1/2", 3.2, 8],
      ["Installing numpy 1/2", 4, 8],
      ["Installing pandas 2/2", 4.85, 8],
      ["Installing pandas 2/2", 5, 8],
      ["Compiling", 6, 8],
      ["Importing pandas", 7, 8],
      ["Installed numpy 2.0, pandas 3.0", 8, 8],
    ],
  );
});

Deno.test("followInstall() of cached packages, and of sizes that are not known, grows too", () => {
  const follow = followInstall();
  const steps = [
    installing("numpy", 1),
    { type: "download" as const, file: "a.whl", received: 9 },
    installing("pandas", 2),
    step("Compiling"),
  ].map((event) => follow(event)?.progress);
  assertEquals(steps, [1, undefined, 2, 3]);
});
