import { JCO_CORES } from "../../deps/jco_cores.ts";
import { startWorker } from "../grants/start_worker.ts";
import { fields, is, isBytes } from "../protocol/fields.ts";
import { MIB } from "../units.ts";
import type { Wit } from "../wit/types.ts";
import { withoutCustomSections } from "./binary.ts";
import type { TranslateOrder } from "./translate_doors.ts";

/** A component as JavaScript, and its core modules by name. */
export interface Translation {
  glue: string;
  modules: Record<string, Uint8Array<ArrayBuffer>>;
}

/** Python in a component takes 2 s of a quiet machine. */
const LONGEST_MS = 50_000;
/** Core modules that a component may have, and bytes of its JavaScript. */
const MOST_MODULES = 200;
const MOST_GLUE = 32 * MIB;

const GLUE = "guest.js";

/** Interfaces whose functions wait, and those of their functions. */
const WAITING_IMPORTS = [
  "wasi:io/poll#poll",
  "wasi:io/poll#[method]pollable.block",
  ...[
    ...["input-stream.blocking-read", "input-stream.blocking-skip"],
    ...["output-stream.blocking-flush"],
    ...["output-stream.blocking-write-and-flush"],
    ...["output-stream.blocking-write-zeroes-and-flush"],
    ...["output-stream.blocking-splice"],
  ].map((method) => `wasi:io/streams#[method]${method}`),
];

/** Whether functions of a component may wait: for time, or for an answer of HTTP. */
export function mayWait({ imports }: Wit): boolean {
  return imports.some((name) => name.startsWith("wasi:io/poll@"));
}

/**
 * Translates a component, in a worker without permissions.
 *
 * @throws {Error} If it cannot be translated; the message completes "it …".
 */
export async function translate(
  bytes: Uint8Array<ArrayBuffer>,
  wit: Wit,
): Promise<Translation> {
  const cores = await Promise.all(
    JCO_CORES.map(async (url) => WebAssembly.compile(await readCore(url))),
  );
  const worker = startWorker(new URL("./translate_worker.ts", import.meta.url));
  const exports = wit.functions.map((fn) =>
    fn.interface === undefined ? fn.name : `${fn.interface}#${fn.name}`
  );
  const order: TranslateOrder = {
    component: withoutCustomSections(bytes),
    waiting: mayWait(wit) ? { imports: WAITING_IMPORTS, exports } : undefined,
    cores,
  };
  const told = Promise.withResolvers<unknown>();
  const late = setTimeout(
    () => told.reject(new Error(`is not translated in ${LONGEST_MS / 1000} s`)),
    LONGEST_MS,
  );
  worker.onmessage = ({ data }) => told.resolve(data);
  worker.onerror = (event) => {
    event.preventDefault();
    told.reject(new Error(`cannot be translated: ${event.message}`));
  };
  worker.postMessage(order);
  try {
    return toTranslation(await told.promise);
  } finally {
    clearTimeout(late);
    worker.terminate();
  }
}

/** Reads what a stranger says. */
function toTranslation(data: unknown): Translation {
  const { files, error } = fields(data);
  if (is.text(error)) {
    throw new Error(
      `cannot be translated: ${error.replaceAll(/\s+/g, " ").slice(0, 500)}`,
    );
  }
  const read = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const file of Array.isArray(files) ? files : []) {
    const [name, bytes] = Array.isArray(file) ? file : [];
    if (is.text(name) && isBytes(bytes)) read.set(name, bytes);
  }
  const glue = read.get(GLUE);
  const modules = [...read].filter(([name]) => /^[\w.]+\.wasm$/.test(name));
  if (!glue || glue.length > MOST_GLUE || modules.length > MOST_MODULES) {
    throw new Error("cannot be translated: it is too large");
  }
  return {
    glue: new TextDecoder().decode(glue),
    modules: Object.fromEntries(modules),
  };
}

async function readCore(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  const packed = await Deno.readFile(url);
  const stream = new Blob([packed]).stream()
    .pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
