import { join } from "node:path";
import { assert, assertEquals, assertThrows } from "../../../deps/assert.ts";
import { tempFolder } from "../../../test/support/folder.ts";
import { openConfigurations } from "./configurations.ts";
import { thisSystem } from "./system.ts";

Deno.test("openConfigurations() sees a real file that changes", async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, "mcp.json");
  const write = (name: string) =>
    Deno.writeTextFile(
      path,
      JSON.stringify({ mcpServers: { [name]: { command: "x" } } }),
    );
  await write("first");
  const all = openConfigurations(
    { mcpConfig: [path], discover: false, allowSelfServer: false },
    thisSystem(),
  );
  assertEquals(all.list().map(({ name }) => name), ["first"]);
  await write("second");
  assertEquals(all.list().map(({ name }) => name), ["second"]);
});

Deno.test("thisSystem() reads files alone, and lists folders", async () => {
  await using folder = await tempFolder();
  const system = thisSystem();
  assertThrows(() => system.readTextFile(folder.path), /not a file/);
  await Deno.writeTextFile(join(folder.path, "a"), "x");
  assertEquals(system.listFolder(folder.path), ["a"]);
  assertEquals(system.listFolder(join(folder.path, "a")), undefined);
  assertEquals(system.stamp(join(folder.path, "none")), undefined);
  assert(system.stamp(join(folder.path, "a")) !== undefined);
});
