// The preloader process: a worker without permissions imports packages for the
// first time. The process reads the files that a sandbox process reads, writes
// nothing, and hands the snapshot to the installer.
import { join } from "node:path";
import {
  type EnvironmentFiles,
  readEnvironment,
  readLinks,
  readRuntime,
  readRuntimeFor,
} from "../engines/pyodide/stored_files.ts";
import { RUNTIME_FILES } from "../engines/pyodide/versions.ts";
import { runnerModules } from "../environments/phase_1/python_job.ts";
import { detailsOf, EXIT, reasonOf } from "../errors.ts";
import { log } from "../log.ts";
import { encodePacket } from "../protocol/packets.ts";
import { preload, tryImports } from "./preload.ts";
import type {
  Made,
  PreloadAnswer,
  PreloadOrder,
} from "../environments/phase_1/messages.ts";
import type { Preloaded } from "../environments/environment.ts";

// The end of stdin means that the parent process has ended.
Deno.stdin.readable.pipeTo(new WritableStream())
  .catch((error) => log(`Cannot read standard input: ${reasonOf(error)}`))
  .finally(() => Deno.exit(EXIT.failure));
// The launcher has written this, from the installer's request.
const order: PreloadOrder = JSON.parse(Deno.args[0] ?? "");
const stdout = Deno.stdout.writable.getWriter();
try {
  await say(await importAll());
  Deno.exit(EXIT.ok);
} catch (error) {
  log(detailsOf(error));
  await say({ preloaded: toFailure(error) });
  Deno.exit(EXIT.failure);
}

interface Imported {
  preloaded: Preloaded;
  made?: Made | undefined;
  unlinked?: string | undefined;
}

async function importAll(): Promise<Imported> {
  const [runtime, environment, lock] = await Promise.all([
    readRuntime(order.runtime),
    readEnvironment(order.environment),
    Deno.readTextFile(join(order.runtime.folder, RUNTIME_FILES.lock)),
  ]);
  const files = { runtime, environment, runner: runnerModules(lock) };
  const { preloaded, made } = await preload(files, order.modules);
  const { modules, whilePreparing } = preloaded;
  const imported = [...modules, ...whilePreparing.map(({ module }) => module)];
  const unlinked = await tryLinked(environment, made, imported);
  return { preloaded, made, unlinked };
}

/** Gives the reason if the environment has linked files, and they do not work. */
async function tryLinked(
  environment: EnvironmentFiles,
  made: Made | undefined,
  modules: string[],
): Promise<string | undefined> {
  const isLinked = !("reason" in await readLinks(order.environment));
  if (!isLinked || modules.length === 0) return undefined;
  const runtime = await readRuntimeFor(order.environment, order.runtime);
  return await tryImports({ runtime, environment }, made, modules);
}

async function say(
  { preloaded, made, unlinked }: Imported,
): Promise<void> {
  const answer: PreloadAnswer = { preloaded };
  if (unlinked !== undefined) answer.unlinked = unlinked;
  if (made) {
    const { snapshot: { bytes: _, ...places }, libraries, folders } = made;
    answer.index = { ...places, libraries, folders };
  }
  const bytes = made && new Uint8Array(made.snapshot.bytes);
  for (const piece of encodePacket(answer, bytes)) await stdout.write(piece);
}

/** The answer of a process that failed: no module was imported. */
function toFailure(error: unknown): Preloaded {
  const reason = `The process that imports packages failed: ${reasonOf(error)}`;
  const broken = order.modules.map((module) => ({ module, reason }));
  return { modules: [], whilePreparing: [], broken };
}
