/**
 * The module `components` in sessions, without components, and beside other engines;
 * and what several components offer at once.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { liar } from "./guests/liar.ts";
import {
  callComponentTool as call,
  stateIn,
  toolsOf,
} from "./support/component_calls.ts";
import { tempFolder } from "./support/folder.ts";
import { writeGuest } from "./support/guests.ts";
import { startServer } from "./support/server.ts";

Deno.test("a session goes on with its components, also once it was saved; one that is not configured any more says so", async () => {
  await using folder = await tempFolder();
  const file = await writeGuest("rust", folder.path);
  const options = [
    ...["--session-store", join(folder.path, "sessions"), ...stateIn(folder)],
  ];
  const uses = `[it.echo(text="a"), f(text="b"), m.it.add(a=1, b=2)]`;
  let session = "";
  {
    await using server = await startServer([
      "--wasm",
      `it=${file}`,
      ...options,
    ]);
    const opened = await server.call(
      `from components import it
import components as m
f = it.echo
kept = {"function": it.add}
${uses}`,
      { session: "new" },
    );
    assertEquals(opened.returnValue, ["a", "b", "3"], opened.error);
    session = `${opened.structured.session}`;
    const next = await server.call(
      `from components import it as again
import components.it
[*${uses}, again is it, kept["function"](a=2, b=2)]`,
      { session },
    );
    assertEquals(next.returnValue, ["a", "b", "3", true, "4"], next.error);
  }
  {
    await using server = await startServer([
      "--wasm",
      `it=${file}`,
      ...options,
    ]);
    const restored = await server.call(
      `from components import it as again
[*${uses}, again.add(a=2, b=2)]`,
      { session },
    );
    assertEquals(restored.returnValue, ["a", "b", "3", "4"], restored.error);
  }
  for (const others of [["--wasm", `other=${file}`], []]) {
    await using server = await startServer([...others, ...options]);
    const gone = await server.call(
      `said = []
def attempt(act):
    try:
        said.append(act())
    except Exception as error:
        said.append(f"{type(error).__name__}: {error}")
def fresh():
    from components import it
    return it.add(a=1, b=1)
for act in (fresh, lambda: f(text="b"), lambda: it.echo(text="a")):
    attempt(act)
said`,
      { session },
    );
    const said = (gone.returnValue ?? []) as string[];
    assertEquals(said.length, 3, gone.error);
    for (const one of said) assertMatch(one, /^\w*Error: .*(it|components)/);
  }
});

Deno.test("without components there is no module of them, and a file of the user's own is imported", async () => {
  await using folder = await tempFolder();
  await using server = await startServer(stateIn(folder));
  const missing = await server.call("import components");
  assertMatch(`${missing.error}`, /ModuleNotFoundError.*components/);
  const own = await server.call(
    `open("components.py", "w").write("value = 7")
import components
from components import value
[components.value, value]`,
  );
  assertEquals(own.returnValue, [7, 7], own.error);
});

Deno.test("runs of the other engine are not disturbed by components", async () => {
  await using folder = await tempFolder();
  const file = await writeGuest("rust", folder.path);
  await using server = await startServer([
    ...["--engine", "pyodide,monty", "--wasm", `it=${file}`],
    ...stateIn(folder),
  ]);
  const told = await server.call("[1 + 1]", { engine: "monty" });
  assertEquals(told.returnValue, [2], told.error);
  const code = "from components import it\nit.add(a=1, b=1)";
  const inMonty = await server.call(code, { engine: "monty" });
  assertMatch(`${inMonty.error}`, /components/);
  const inPyodide = await server.call(code, { engine: "pyodide" });
  assertEquals(inPyodide.returnValue, "2", inPyodide.error);
});

Deno.test("prompts and resources of two components are listed, and each resource is read where it is", async () => {
  await using folder = await tempFolder();
  const file = await writeGuest("rust", folder.path);
  const plain = await writeGuest("javascript", folder.path);
  const types = await writeGuest("types", folder.path);
  await using server = await startServer([
    ...["--wasm", `one=${file}`, "--wasm", `two=${plain}`, "--wasm", types],
    ...stateIn(folder),
  ]);
  const { client } = server;
  const { prompts } = await client.listPrompts();
  assertEquals(prompts.map(({ name }) => name).sort(), [
    ...["one__greet", "one__plain", "two__greet", "two__plain"],
  ]);
  const refused = await client.getPrompt({ name: "one__plain" })
    .catch((error) => error);
  assertMatch(`${refused}`, /one__plain.*list their prompts.*cannot give/);
  // Both have the same addresses: that of the first counts.
  const { resources } = await client.listResources();
  const uris = resources.map(({ uri }) => uri)
    .filter((uri) => uri.startsWith("guest:"));
  assertEquals(uris.sort(), ["guest://blob", "guest://text"]);
  const { contents } = await client.readResource({ uri: "guest://text" });
  assertEquals(Object(contents[0]).text, "a text");
  const none = await client.readResource({ uri: "guest://none" })
    .catch((error) => error);
  assertMatch(`${none}`, /guest:..none/);
  const again = await client.listTools();
  assertEquals(await client.listTools(), again);
});

Deno.test("a component with very many tools is listed within bounds, and others are called", async () => {
  await using folder = await tempFolder();
  const file = await writeGuest("rust", folder.path);
  const many = join(folder.path, "many.wasm");
  await Deno.writeFile(many, await liar("tools-many"));
  await using server = await startServer([
    ...["--wasm", many, "--wasm", `it=${file}`, ...stateIn(folder)],
  ]);
  const names = await toolsOf(server, "many");
  assert(names.length <= 5000, `${names.length}`);
  assertEquals((await toolsOf(server, "it")).length, 11);
  assertEquals((await call(server, "it__add", { a: 1, b: 1 })).text, "2");
  const unknown = await call(server, "it__ad").catch((error) => error);
  assertMatch(`${unknown}`, /Unknown tool "it__ad".*"it__add"/);
  assert(`${unknown}`.length < 1000, `${unknown}`);
});
