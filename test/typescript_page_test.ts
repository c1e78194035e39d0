/**
 * The examples of the pages about the TypeScript library: their types are checked,
 * and they run.
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { VARIABLES } from "./support/command.ts";
import { readExamples } from "./support/examples.ts";
import { type TempFolder, tempFolder } from "./support/folder.ts";
import { serveBy } from "./support/http_server.ts";
import { descendants, whichOutlive } from "./support/processes.ts";
import { run } from "../src/launcher/bundling/write_program.ts";

const ROOT = fileURLToPath(import.meta.resolve("../"));
const NO_PROC = Deno.build.os !== "linux" && "needs /proc to find processes";
if (NO_PROC) log(`skipped: what a killed program leaves: ${NO_PROC}`);

/** Deno itself tells the address on stderr. */
const LISTENING =
  "onListen: ({ port }) => console.log(`Serving MCP at http://127.0.0.1:${port}/`),";

/** Writes the example of that text as a program; gives what starts it. */
async function write(
  { path }: TempFolder,
  part: string,
): Promise<string[]> {
  const text = readExamples("ts")
    .find((example) => example.includes(part));
  assert(text, part);
  const file = join(path, "program.ts");
  const ours = text
    .replace("/path/to/mcp-run-python/", new URL("../", import.meta.url).href)
    .replace(/(?<=Deno\.serve\(\s*\{)/, LISTENING);
  await Deno.writeTextFile(file, ours);
  const config = join(ROOT, "deno.json");
  return ["run", "-A", "--check", "--config", config, file];
}

/** Runs the example of that text; gives what it prints. */
async function runExample(part: string): Promise<string> {
  await using folder = await tempFolder();
  const args = await write(folder, part);
  const env = { ...VARIABLES, NO_COLOR: "1" };
  return await run(Deno.execPath(), args, { env });
}

Deno.test("docs/typescript.md: the examples of a sandbox print what they say", async () => {
  assertEquals(await runExample("sandbox.session("), "6\n6\n");
});

Deno.test("docs/libraries.md: the example of a run that outlives its call prints what it says", async () => {
  assertEquals(await runExample("wait: 2"), "0\n1\n2\nsuccess 2\n");
});

Deno.test("docs/typescript.md: the example of Deno.serve serves MCP past a proxy, and its processes end with it", async () => {
  await using folder = await tempFolder();
  const args = await write(folder, "Deno.serve(");
  await using server = await serveBy(Deno.execPath(), {
    args,
    env: {
      ...{ ...VARIABLES, NO_COLOR: "1" },
      // The way to the process must not lead through it.
      ...{ HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: "" },
    },
  });
  await using client = await server.connect("2026-07-28");
  const { returnValue } = await client.call("import pydantic; 6 * 7");
  assertEquals(returnValue, 42);
  const family = NO_PROC ? [] : descendants(server.pid);
  assert(NO_PROC || family.length > 0);
  Deno.kill(server.pid, "SIGKILL");
  await server.ended;
  assertEquals(await whichOutlive(family), []);
});
