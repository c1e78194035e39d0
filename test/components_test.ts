/**
 * Components as tools of a real server: the world `mcp-wasm:server` by guests in three
 * languages, in both eras of the protocol, over both transports; and any other world,
 * for clients and for Python.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import type { Client } from "../deps/mcp_client.ts";
import { log } from "../src/log.ts";
import { command } from "./support/command.ts";
import {
  callComponentTool as call,
  stateIn,
} from "./support/component_calls.ts";
import { tempFolder } from "./support/folder.ts";
import {
  getPythonGuest,
  getServerGuest,
  SERVER_GUESTS,
  writeGuest,
} from "./support/guests.ts";
import { processesNamed } from "./support/processes.ts";
import {
  ERAS,
  startServer,
  type TestClient,
  type Via,
} from "./support/server.ts";

const TRANSPORTS: Via[] = ["stdio", "http"];
/** Built once for all tests. */
const python = await getPythonGuest();
if ("reason" in python) log(`skipped: the guest in Python: ${python.reason}`);

for (const guest of SERVER_GUESTS) {
  for (const via of TRANSPORTS) {
    for (const era of ERAS) {
      Deno.test({
        name: `the world mcp-wasm:server: ${guest}, ${via}, ${era}`,
        ignore: guest === "python" && "reason" in python,
        async fn() {
          await using folder = await tempFolder();
          const found = await getServerGuest(guest, folder.path);
          assert("file" in found);
          const args = ["--wasm", `it=${found.file}`, ...stateIn(folder)];
          await using server = await startServer(args, era, undefined, via);
          await checkWorld(server, guest);
        },
      });
    }
  }
}

async function checkWorld(server: TestClient, guest: string): Promise<void> {
  const { client } = server;
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  assert(names.includes("run_python_code"));
  assertEquals(names.filter((name) => name.startsWith("it__")).sort(), [
    ...["it__add", "it__count", "it__echo", "it__fail", "it__flood"],
    ...["it__hog", "it__image", "it__print", "it__resource", "it__seen"],
    "it__spin",
  ]);
  const echo = tools.find(({ name }) => name === "it__echo");
  assertEquals(Object.keys(echo?.inputSchema.properties ?? {}), ["text"]);

  assertEquals(
    (await call(server, "it__echo", { text: "é\u0000\n" })).text,
    "é\u0000\n",
  );
  assertEquals((await call(server, "it__add", { a: 2, b: 3 })).text, "5");
  const [image] = (await call(server, "it__image")).content;
  assertEquals(image?.type, "image");
  assertEquals(image?.mimeType, "image/png");
  const [embedded] = (await call(server, "it__resource")).content;
  assertEquals(embedded?.resource, {
    ...{ uri: "guest://text", mimeType: "text/plain", text: "embedded" },
  });

  // One instance answers one client, and has been greeted.
  const first = Number((await call(server, "it__count")).text);
  assertEquals(Number((await call(server, "it__count")).text), first + 1);
  const seen = JSON.parse((await call(server, "it__seen")).text);
  assertEquals(seen.client.name, "mcp-run-python");

  const failed = await call(server, "it__fail", { message: "no luck" });
  assert(failed.isError);
  if (guest !== "javascript") assertMatch(failed.text, /no luck/);
  // A trap poisons an instance: the next call has a new one.
  assertEquals(Number((await call(server, "it__count")).text), 1);

  await checkPromptsAndResources(client);
  const python = await server.call(
    "from components import it\nit.echo(text='from Python'), it.add(a=1, b=2)",
  );
  assertEquals(python.returnValue, ["from Python", "3"], python.error);
}

async function checkPromptsAndResources(client: Client): Promise<void> {
  const { prompts } = await client.listPrompts();
  assertEquals(prompts.map(({ name }) => name).sort(), [
    ...["it__greet", "it__plain"],
  ]);
  const { resources } = await client.listResources();
  const uris = resources.map(({ uri }) => uri);
  assert(uris.includes("guest://text") && uris.includes("guest://blob"));
  const text = await client.readResource({ uri: "guest://text" });
  assertEquals(Object(text.contents[0]).text, "a text");
  const blob = await client.readResource({ uri: "guest://blob" });
  assertEquals(Object(blob.contents[0]).blob, "AAEC/w==");
  const wrong = await client.readResource({ uri: "guest://none" })
    .catch((error) => error);
  assertMatch(wrong.message, /no resource guest:..none/);
}

Deno.test("functions of any component are tools, with their types, and functions in Python", async () => {
  await using folder = await tempFolder();
  const file = await writeGuest("types", folder.path);
  await using server = await startServer(["--wasm", file, ...stateIn(folder)]);
  const { tools } = await server.client.listTools();
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const add = byName.get("types__primitives__add_two");
  assertMatch(add?.description ?? "", /^Adds two integers/);
  assertEquals(add?.inputSchema.required, ["first_number", "second_number"]);
  assert(!byName.has("types__handles__take"));
  assert(byName.has("types__handles__plain"));
  assert(byName.has("types__root_function"));

  const sum = await call(server, "types__primitives__add_two", {
    ...{ first_number: 40, second_number: 2 },
  });
  assertEquals(sum.structured, { result: 42 });
  assertEquals(sum.text, "42");
  const wrong = await call(server, "types__primitives__give_u8", {
    value: 256,
  });
  assert(wrong.isError);
  assertMatch(wrong.text, /value is 256.*255/);
  const failed = await call(server, "types__maybes__result_record", {
    fail: true,
  });
  assert(failed.isError);
  assertEquals(failed.structured, { error: { x: 1, y: -2 } });

  const code = `import components
from components import types
async def main():
    return await types.primitives__give_u64.aio(value=2**64 - 1)
try:
    types.maybes__result_record(fail=True)
except components.ComponentError as error:
    failed = error.payload
[
    types.lists__give_bytes(value=b"\\x00\\xff") == b"\\x00\\xff",
    types.primitives__give_u64(value=2**63) == 2**63,
    await main() == 2**64 - 1,
    failed,
    types.root_function("positional"),
    types.add_two(40, second_number=2),
    str(__import__("inspect").signature(types.primitives__add_two)),
]`;
  const told = await server.call(code);
  assertEquals(told.returnValue, [
    ...[true, true, true, { x: 1, y: -2 }, "positional", 42],
    "(first_number: int, second_number: int) -> int",
  ], told.error);
});

Deno.test("code mode has components, too, and clients see run_python alone", async () => {
  await using folder = await tempFolder();
  const file = await writeGuest("rust", folder.path);
  await using server = await startServer([
    ...["--code-mode", "--wasm", `it=${file}`],
    ...stateIn(folder),
  ]);
  const { tools } = await server.client.listTools();
  assertEquals(tools.map(({ name }) => name), ["run_python"]);
  const { content } = await server.client.callTool({
    name: "run_python",
    arguments: {
      code: `from components import it
a = it.echo(text="sync")
b = (await it.echo.aio(text="async"))
print(a, b, [s["name"] for s in discovered_servers(detailed=True)])`,
    },
  });
  assertMatch(JSON.stringify(content), /sync async/);
});

Deno.test("a component that cannot be used hides no other, and each says why", async () => {
  await using folder = await tempFolder();
  const good = await writeGuest("rust", folder.path);
  const core = join(folder.path, "core.wasm");
  await Deno.writeFile(core, Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  const policy = join(folder.path, "wrong.yaml");
  await Deno.writeTextFile(policy, 'version: "1.0"\npermisions: {}\n');
  const args = [
    ...["--wasm", `good=${good}`, "--wasm", `core=${core}`],
    ...["--wasm", `wrong=${good}@${policy}`],
    ...["--wasm", `none=${join(folder.path, "none.wasm")}`],
  ];
  await using server = await startServer([...args, ...stateIn(folder)]);
  assertEquals((await call(server, "good__add", { a: 1, b: 1 })).text, "2");
  const { stdout, stderr, code } = await command([
    ...args,
    "components",
    "list",
  ]);
  assertEquals(code, 1);
  assertMatch(stdout, /good +11 functions/);
  assertMatch(stdout, /core +fails: .*core module/);
  assertMatch(stderr, /"wrong" is left out as .*permisions/);
  assertMatch(stderr, /"none" is left out as .*none\.wasm/);
});

Deno.test("the commands inspect and call show and call a component", async () => {
  await using folder = await tempFolder();
  const file = await writeGuest("types", folder.path);
  const inspected = await command(["components", "inspect", file]);
  assertEquals(inspected.code, 0, inspected.stderr);
  assertMatch(inspected.stdout, /reaches no host/);
  assertMatch(inspected.stdout, /handles.*left out/);
  assertMatch(inspected.stdout, /def primitives__add_two\(/);
  const called = await command([
    ...["components", "call", file, "add_two"],
    ...["first_number=40", "second_number=2"],
  ]);
  assertEquals([called.stdout, called.code], ["42\n", 0], called.stderr);
  const wrong = await command([
    ...["components", "call", file, "primitives__add_to"],
  ]);
  assertEquals(wrong.code, 1);
  assertMatch(wrong.stderr, /Did you mean "primitives__add_two"\?/);
});

Deno.test("a component that no call uses has no process", async () => {
  await using folder = await tempFolder();
  const file = await writeGuest("rust", folder.path);
  const args = ["--wasm", `it=${file}`, ...stateIn(folder)];
  {
    await using server = await startServer(args);
    await server.client.listTools();
    await call(server, "it__echo", { text: "a" });
  }
  await using again = await startServer(args);
  const { tools } = await again.client.listTools();
  assert(tools.some(({ name }) => name === "it__echo"));
  assertEquals((await again.call("1 + 1")).returnValue, 2);
  assertEquals(processesNamed("component", again.pid), []);
});
