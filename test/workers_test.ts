/**
 * What the product's workers may do: each is started by the product's own code,
 * and a probe runs in the place of its program.
 *
 * @module
 */
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { assert, assertEquals, assertRejects } from "../deps/assert.ts";
import type { Mount } from "../src/grants/mounts.ts";
import { startWorker } from "../src/grants/start_worker.ts";
import {
  openPythonJob,
  type PythonJobFiles,
} from "../src/environments/phase_1/python_job.ts";
import {
  type InterpreterFiles,
  startInterpreter,
} from "../src/engines/pyodide/host.ts";
import { tempFolder } from "./support/folder.ts";
import { networkOf } from "./support/interpreter.ts";
import { probe, type Probed } from "./support/probe.ts";
import { startProbeTarget } from "./support/probe_target.ts";
import { startProbingWorkers } from "./support/probing_workers.ts";
import { type Imported, importInWorker } from "../src/preloader/preload.ts";

const SOURCES = fileURLToPath(import.meta.resolve("../src"));

/** What each try comes to where no permission is. */
const REFUSED: Probed = {
  ...{ read: false, node: false, write: false, net: false, fetch: false },
  ...{ run: false, env: false, sys: false, ffi: false, import: false },
};

/** What the probe itself needs of a start: nothing. */
const NO_FILES: InterpreterFiles & PythonJobFiles = JSON.parse("{}");

Deno.test("the probe is refused nothing where all is permitted", async () => {
  await using target = startProbeTarget();
  const probed = await probe({ port: target.port, folders: ["/tmp"] });
  assertEquals(Object.values(probed).filter((isAllowed) => !isAllowed), []);
  assertEquals(Object.keys(probed).length, Object.keys(REFUSED).length + 2);
});

Deno.test("the installer's worker may do nothing", async () => {
  using workers = startProbingWorkers();
  const services = { fetch: refuse, wheel: refuse, say() {} };
  using _job = openPythonJob(NO_FILES, services);
  assertEquals(await probeIn(workers), [REFUSED]);
  assertEquals(workers.addresses.map(toPath), [
    "environments/phase_1/worker.ts",
  ]);
});

Deno.test("the preloader's worker may do nothing", async () => {
  using workers = startProbingWorkers();
  const imported: Promise<Imported> = importInWorker(NO_FILES, []);
  assertEquals(await probeIn(workers), [REFUSED]);
  assertEquals(workers.addresses.map(toPath), [
    "environments/phase_1/worker.ts",
  ]);
  workers.end();
  assertEquals((await imported).failed, []);
});

Deno.test("Python's worker may do nothing without mounts", async () => {
  using workers = startProbingWorkers();
  const ended = assertRejects(() =>
    startInterpreter(NO_FILES, networkOf(["*"]))
  );
  assertEquals(await probeIn(workers), [REFUSED]);
  assertEquals(workers.addresses.map(toPath), [
    "engines/pyodide/worker/worker.ts",
  ]);
  workers.end();
  await ended;
});

Deno.test("Python's worker may read mounts and write those that are writable, and do nothing else", async () => {
  await using temporary = await tempFolder();
  const [ro, rw, other] = await temporary.make("ro", "rw,x", "other");
  const mount = (host: string, isWritable: boolean): Mount => ({
    ...{ host, guest: "/mnt/x", isWritable },
  });
  const expected = (writable: string[]) => ({
    ...REFUSED,
    ...{ [`read ${ro}`]: true, [`write ${ro}`]: false },
    ...{ [`read ${rw}`]: true, [`write ${rw}`]: writable.includes(rw) },
    ...{ [`read ${other}`]: false, [`write ${other}`]: false },
  });
  for (const writable of [[], [rw]]) {
    using workers = startProbingWorkers();
    const mounts = [ro, rw].map((path) => mount(path, writable.includes(path)));
    const ended = assertRejects(() =>
      startInterpreter({ ...NO_FILES, mounts }, networkOf(["*"]))
    );
    assertEquals(await probeIn(workers, [ro, rw, other]), [expected(writable)]);
    assertEquals(workers.addresses.map(toPath), [
      "engines/pyodide/worker/mounting_worker.ts",
    ]);
    workers.end();
    await ended;
  }
});

Deno.test("Python's worker may read linked JavaScript until it has imported it", async () => {
  await using temporary = await tempFolder();
  const [folder] = await temporary.make("environment");
  const file = join(folder, "linked.mjs");
  await Deno.writeTextFile(
    file,
    "export const loadPyodide = 1; export default 2;",
  );
  const { href } = pathToFileURL(file);
  const glue = { emscripten: href, loader: href, file };
  {
    using workers = startProbingWorkers();
    const ended = assertRejects(() => startInterpreter({ ...NO_FILES, glue }));
    const allowed = { [`read ${file}`]: true, [`write ${file}`]: false };
    const refused = { [`read ${folder}`]: false, [`write ${folder}`]: false };
    assertEquals(await probeIn(workers, [file, folder]), [
      { ...REFUSED, ...allowed, ...refused },
    ]);
    workers.end();
    await ended;
  }
  const program = new URL("./support/import_glue.ts", import.meta.url);
  const worker = startWorker(program, { glue: [file] });
  const { promise, resolve } = Promise.withResolvers<unknown>();
  worker.onmessage = ({ data }) => resolve(data);
  worker.postMessage(glue);
  const exported = { loadPyodide: 1, createPyodideModule: 2 };
  assertEquals(await promise, { ...exported, before: true, after: false });
  worker.terminate();
});

Deno.test("workers and processes are started where the table gives them their permissions", async () => {
  const starts: string[] = [];
  for await (const path of sourcesIn(SOURCES)) {
    const source = await Deno.readTextFile(path);
    for (const [start] of source.matchAll(STARTS)) {
      starts.push(`${path.slice(SOURCES.length + 1)}: ${start}`);
    }
  }
  assertEquals(starts.sort(), [
    // The one program that its flags let it run: the downstream server.
    "bridge/process_link.ts: Deno.Command(",
    "grants/start_worker.ts: Worker(",
    // For the launcher itself: Deno's own answers, and a bundle's first start.
    "launcher/bundling/write_program.ts: Deno.Command(",
    "launcher/isolation.ts: Deno.Command(",
    "launcher/program.ts: Deno.Command(",
    "launcher/spawn.ts: Deno.Command(",
    // A shell with one script, for the launcher's own end.
    "launcher/waker.ts: Deno.Command(",
    // The server that is wrapped, what fetches it, its end, and a pipe for its audit.
    "launcher/wrap/deno_guest.ts: Deno.Command(",
    "launcher/wrap/run_guest.ts: Deno.Command(",
    "launcher/wrap/run_guest.ts: Deno.Command(",
    "launcher/wrap/wrap.ts: Deno.Command(",
    // `ps`, for the program that has started this one, where there is no /proc.
    "launcher/wrapper.ts: Deno.Command(",
    // A program of the user starts a launcher.
    "library/cli.ts: child_process",
    "library/program.ts: child_process",
  ]);
});

const STARTS = /\bWorker\(|\bDeno\s*\.\s*Command\b\(?|\bchild_process\b/g;

async function* sourcesIn(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* sourcesIn(path);
    else if (/(?<!_test)\.[jt]s$/.test(name)) yield path;
  }
}

async function probeIn(
  workers: ReturnType<typeof startProbingWorkers>,
  folders: string[] = [],
): Promise<Probed[]> {
  await using target = startProbeTarget();
  return await workers.probe({ port: target.port, folders });
}

function toPath(address: string): string {
  const path = fileURLToPath(address);
  assert(path.startsWith(SOURCES), path);
  return path.slice(SOURCES.length + 1);
}

function refuse(): never {
  throw new Error("The probe asks for nothing");
}
