import { assert, assertEquals, assertRejects } from "../../deps/assert.ts";
import { machine } from "../../test/support/machine.ts";
import { parseArguments } from "./arguments.ts";
import type { CliContext, Env } from "./context.ts";

async function stateDir(
  line: string,
  env: Env = {},
  where: Partial<CliContext> = {},
) {
  const context = machine({}, where);
  const invocation = await parseArguments(line.split(" "), env, context);
  assert(invocation.command === "stdio");
  const { stateDir, isUsualStateDir } = invocation.settings;
  return [stateDir, isUsualStateDir];
}

Deno.test("parseArguments() keeps state in the user's folder for it, in code mode only", async () => {
  const code = "stdio --code-mode";
  assertEquals(await stateDir(code), [
    ...["/home/ada/.local/state/mcp-run-python/kept", true],
  ]);
  assertEquals(await stateDir(code, { XDG_STATE_HOME: "/var/s" }), [
    ...["/var/s/mcp-run-python/kept", true],
  ]);
  const cache = `${code} --cache-dir /c`;
  assertEquals(await stateDir(cache, {}, { home: undefined }), [
    ...[undefined, undefined],
  ]);
  assertEquals(await stateDir("stdio"), [undefined, undefined]);
});

Deno.test("parseArguments() takes the state folder that the user names, where its links lead", async () => {
  const realPath = (path: string) => path === "/link" ? "/disk" : undefined;
  const line = "stdio --code-mode --state-dir /link/new";
  assertEquals(await stateDir(line, {}, { realPath }), [
    ...["/disk/new", undefined],
  ]);
  await assertRejects(
    () => stateDir("stdio --code-mode --state-dir /a,b"),
    /Cannot keep memory and saved tools in "\/a,b" as Deno takes a path with a comma for two; choose another folder with --state-dir\./,
  );
});
