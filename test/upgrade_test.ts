/**
 * Another version of the program beside this one, as after an upgrade: the same
 * files with another version, in a folder of its own.
 *
 * @module
 */
import { basename, join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import {
  ENVIRONMENT_FORMAT,
  environmentFolder,
} from "../src/environments/environment.ts";
import { VERSION } from "../src/version.ts";
import { baseFolder, ensurePython } from "./support/cache.ts";
import { CACHE, CLI } from "./support/command.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import {
  makeOtherVersion,
  type OtherVersion,
} from "./support/other_version.ts";
import { connectTo, type TestServer } from "./support/server.ts";

const LATER = "99.0.0";

/** The name of the environment without packages of a program. */
async function baseOf({ at, deno }: OtherVersion): Promise<string> {
  const code = `
import { toBaseId } from ${
    JSON.stringify(at("launcher/installing/request_id.ts"))
  };
import { NPM_PYODIDE, toRuntime } from ${
    JSON.stringify(at("engines/pyodide/runtime.ts"))
  };
import { VERSION } from ${JSON.stringify(at("version.ts"))};
console.log(VERSION, toBaseId(toRuntime(NPM_PYODIDE)));`;
  const { stdout, stderr } = await deno(["eval", code]);
  const [version, id = ""] = stdout.trim().split(" ");
  assertEquals(version, LATER, stderr);
  return environmentFolder(CACHE, id);
}

Deno.test("an environment's id depends on the code in an interpreter's memory, and not on the program's version", async () => {
  await using later = await makeOtherVersion(LATER);
  assert(VERSION !== LATER);
  const own = baseFolder(CACHE);
  await later.append("server/main.ts", "// A change.\n");
  assertEquals(await baseOf(later), own);
  await later.append("engines/pyodide/runner/rest.py", "# A change.\n");
  const other = await baseOf(later);
  assert(other !== own);
  // The memory of an interpreter refers to JavaScript by name.
  const name = `(JS_NAMES as Set<string>).add("another");\n`;
  await later.append("engines/pyodide/worker/js_namespace.ts", name);
  assert(![own, other].includes(await baseOf(later)));
});

/** Starts a version of the program with a folder of sessions. */
function start(
  cli: string,
  folder: string,
  more: string[] = [],
): Promise<TestServer> {
  const options = ["--cache-dir", CACHE, "--session-store", folder, ...more];
  return connectTo([cli, ...options, "stdio"]);
}

/** Stores a session with `x = [1, 2, 3]`; gives its handle. */
async function storeSession(folder: string): Promise<unknown> {
  await ensurePython();
  await using server = await start(CLI, folder);
  const opened = await server.call("x = [1, 2, 3]", { session: "new" });
  await server.end();
  return opened.structured.session;
}

Deno.test("a stored session goes on in another version of the program", async () => {
  await using folder = await tempFolder();
  const store = join(folder.path, "store");
  const session = await storeSession(store);
  await using later = await makeOtherVersion(LATER);
  await using server = await start(later.cli, store);
  assertEquals(server.client.getServerVersion()?.version, LATER);
  const { returnValue, text } = await server.call("sum(x)", { session });
  assertEquals(returnValue, 6, text);
});

Deno.test("a version with other code in an interpreter's memory says what it cannot read, and keeps it", async () => {
  await using folder = await tempFolder();
  const [logs] = await folder.make("logs");
  const store = join(folder.path, "store");
  const session = await storeSession(store);
  await using later = await makeOtherVersion(LATER);
  await later.append("engines/pyodide/runner/rest.py", "# A change.\n");
  const logFile = join(logs, "log");
  const id = basename(baseFolder(CACHE));
  const reason =
    `it is of the environment ${id}: other packages, or another version of mcp-run-python or Deno, have stored it, and can go on with it`;
  {
    await using server = await start(later.cli, store, ["--log-file", logFile]);
    const lost = await server.call("sum(x)", { session });
    assertEquals(lost.status, "session-lost");
    assert(lost.error?.includes(`: ${reason}. The code was not run.`));
    await server.end();
  }
  const lines = (await Deno.readTextFile(logFile)).split("\n");
  const told = lines.filter((line) => line.includes(" action=lost "));
  assertEquals(told.length, 1);
  assert(told[0]?.endsWith(`reason="${reason}"`));

  const { stdout } = await later.deno([
    ...["run", "-A", "cli.ts", "--cache-dir", CACHE, "--offline"],
    ...["--session-store", store, "doctor"],
  ]);
  assertMatch(
    stdout,
    /^ {2}stored with other packages, or by another version /m,
  );
  const says =
    `    1 session of the environment ${id}, which the cache has: no packages\n`;
  assert(stdout.includes(says), stdout);

  {
    await using server = await start(CLI, store);
    const { returnValue, text } = await server.call("sum(x)", { session });
    assertEquals(returnValue, 6, text);
    await server.end();
  }
  await using server = await start(later.cli, store);
  const first = await server.call("sum(x)", { session });
  assertEquals(first.status, "session-lost");
  const next = await server.call("'x' in globals()", { session });
  assertEquals(next.returnValue, false, next.text);
});

/** The keys of a JSON file of the environment without packages. */
async function keysOf(name: string): Promise<string[]> {
  const text = await Deno.readTextFile(join(baseFolder(CACHE), name));
  return Object.keys(JSON.parse(text)).sort();
}

Deno.test("an environment has the files and fields of its format", async () => {
  await ensurePython();
  // Another version reads these files: see ENVIRONMENT_FORMAT before a change.
  assertEquals(ENVIRONMENT_FORMAT, 1);
  assertEquals(await namesIn(baseFolder(CACHE)), [
    ...["complete", "environment.json", "linked.mjs", "linked.wasm"],
    ...["links.json", "packages.bin", "packages.json", "pyodide-lock.json"],
    ...["snapshot.bin", "snapshot.json", "used"],
  ]);
  assertEquals(await keysOf("environment.json"), [
    ...["engine", "files", "packages", "preloaded", "python", "requested"],
  ]);
  assertEquals(await keysOf("snapshot.json"), [
    ...["folders", "head", "imports", "libraries", "memory", "ranges"],
    "tableLength",
  ]);
  assertEquals(await keysOf("links.json"), [
    ...["scripted", "symbols", "tableLength"],
  ]);
});
