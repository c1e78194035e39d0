import { join } from "node:path";
import {
  EMSCRIPTEN_FILES,
  ENVIRONMENT_FILES,
  RUNTIME_FILES,
} from "../engines/pyodide/versions.ts";
import {
  isKnownGlue,
  readEnvironment,
  readRuntimeFor,
  type Runtime,
  type RuntimeFiles,
} from "../engines/pyodide/stored_files.ts";
import { link } from "../engines/pyodide/linking/link.ts";
import type { Layout } from "../engines/pyodide/linking/link_wasm.ts";
import type { Draft } from "../environments/environment.ts";
import { sha256Aside } from "../disk.ts";
import { reasonOf } from "../errors.ts";
import { linksFile, unlink } from "./linked_files.ts";
import { tryCode } from "../engines/pyodide/host.ts";
import tryLinks from "./try_links.py" with { type: "text" };

const { linkedWasm, linkedGlue } = ENVIRONMENT_FILES;
const encoder = new TextEncoder();

/**
 * Adds Pyodide's files, linked once, to the draft of a base. A Pyodide that this
 * program cannot link stays as it is, and the draft has the reason.
 *
 * @param own Pyodide's own files, which must give the same answer to the code: by
 * default, to code that uses each way into Python.
 * @throws {Error} If the draft cannot be written.
 */
export async function linkRuntime(
  draft: Draft,
  { runtime, own, layout, code = tryLinks }: {
    runtime: Runtime;
    own: RuntimeFiles;
    layout: () => Promise<Layout>;
    code?: string;
  },
): Promise<void> {
  const leave = (fault: string) => (error: unknown) =>
    unlink(draft, `${fault}: ${reasonOf(error)}`);
  const files = await linkedFiles(runtime, layout)
    .catch(leave("This Pyodide cannot be linked"));
  if (!files) return;
  // A full disk fails the install, and leaves no base unlinked for good.
  await draft.write(files);
  await compareAnswers(draft.folder, runtime, { own, code })
    .catch(leave("Linked files do not work"));
}

async function linkedFiles(
  { folder, emscripten = EMSCRIPTEN_FILES[0] }: Runtime,
  layout: () => Promise<Layout>,
): Promise<Record<string, Uint8Array>> {
  const read = (name: string) => Deno.readTextFile(join(folder, name));
  const linked = link({
    wasm: await Deno.readFile(join(folder, RUNTIME_FILES.wasm)),
    emscripten: await read(emscripten),
    loader: await read(RUNTIME_FILES.loader),
  }, await layout());
  const glue = encoder.encode(linked.glue);
  if (!await isKnownGlue(glue)) {
    const hash = await sha256Aside(glue);
    throw new Error(`its linked JavaScript is not known (sha256 ${hash})`);
  }
  return {
    [linkedWasm]: linked.wasm,
    [linkedGlue]: glue,
    ...linksFile(linked.links),
  };
}

async function compareAnswers(
  folder: string,
  runtime: Runtime,
  { own, code }: { own: RuntimeFiles; code: string },
): Promise<void> {
  const linked = await readRuntimeFor(folder, runtime);
  const environment = await readEnvironment(folder);
  const answerOf = async (files: RuntimeFiles): Promise<string> => {
    const ending = await tryCode({ ...files, ...environment }, code);
    if (ending.status === "success") return ending.value;
    throw new Error(ending.error);
  };
  const [right, answer] = await Promise.all([answerOf(own), answerOf(linked)]);
  if (answer !== right) throw new Error(`They answer ${answer}, not ${right}`);
}
