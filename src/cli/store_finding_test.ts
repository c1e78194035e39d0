import { assertEquals } from "../../deps/assert.ts";
import { makeFakeCache, toId } from "../../test/support/fake_cache.ts";
import { tempFolder } from "../../test/support/folder.ts";
import { writeStored } from "../../test/support/stored_session.ts";
import { ENGINE } from "../engines/index.ts";
import { NPM_PYODIDE, toRuntime } from "../engines/pyodide/runtime.ts";
import { noteResolved } from "../environments/wanted_environment.ts";
import {
  toBaseId,
  toWantedEnvironment,
} from "../launcher/installing/request_id.ts";
import { examineStore } from "./store_finding.ts";

const RUNTIME = toRuntime(NPM_PYODIDE);

/** The lines about sessions of these environments, and their facts. */
async function examineWith(
  environments: string[],
  { dependencies = [], isResolved = false }: {
    dependencies?: string[];
    isResolved?: boolean;
  } = {},
) {
  await using cache = await makeFakeCache();
  await using store = await tempFolder();
  await cache.addEnvironment("a", { wheels: ["x", "y"] });
  await cache.addEnvironment("b");
  for (const [at, environment] of environments.entries()) {
    await writeStored(store.path, { key: `${at}`, metadata: { environment } });
  }
  const settings = {
    ...{ engine: ENGINE, cacheDir: cache.path, dependencies, constraints: [] },
    ...{ findLinks: [], extraIndexUrls: [], sessionStore: store.path },
    maxStoredSessionsMiB: 1,
  };
  const { request } = toWantedEnvironment(settings, RUNTIME);
  if (isResolved && request) {
    await noteResolved(cache.path, request, toId("a"));
  }
  const { lines, facts } = await examineStore(settings);
  const { others } = { ...Object(facts) };
  // Folder, sizes and whether it can be written.
  return { lines: lines.slice(3), others };
}

Deno.test("examineStore() names the environments of other sessions, the most frequent first, and whether a cache has them", async () => {
  const ids = ["b", "a", "a"].map(toId);
  const { lines, others } = await examineWith([...ids, toBaseId(RUNTIME)]);
  const of = (letter: string) => `of the environment ${toId(letter)}`;
  assertEquals(lines, [
    "stored with other packages, or by another version of mcp-run-python or Deno, which can go on with them:",
    `  2 sessions ${of("a")}, which the cache has: x 1.0, y 1.0`,
    `  1 session ${of("b")}, which the cache has: no packages`,
  ]);
  assertEquals(others.length, 2);
  assertEquals(others[0], {
    ...{ environment: toId("a"), sessions: 2, packages: ["x 1.0", "y 1.0"] },
  });
  const gone = await examineWith([toId("c")]);
  assertEquals(gone.lines.slice(1), [
    `  1 session ${of("c")}, which no cache has`,
  ]);
  assertEquals(gone.others[0].packages, null);
});

Deno.test("examineStore() names five environments at most", async () => {
  const { lines, others } = await examineWith([..."cdefabc"].map(toId));
  assertEquals(lines.length, 1 + 5 + 1);
  assertEquals([lines.at(-1), others.length], ["… and 1 more", 6]);
});

Deno.test("examineStore() does not know the environment of packages before their install", async () => {
  const dependencies = ["x"];
  const before = await examineWith([toId("a")], { dependencies });
  assertEquals(before.lines, [
    "the environment of these options is not installed yet: mcp-run-python install tells whether it is one of these:",
    `  1 session of the environment ${
      toId("a")
    }, which the cache has: x 1.0, y 1.0`,
  ]);
  const isResolved = true;
  const after = await examineWith([toId("a")], { dependencies, isResolved });
  assertEquals([after.lines, after.others], [[], []]);
});
