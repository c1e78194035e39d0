import {
  type InterpreterFiles,
  type InterpreterOptions,
  startInterpreter,
} from "../../../src/engines/pyodide/host.ts";
import type { Interpreter } from "../../../src/engines/engine.ts";
import type { Anew } from "../../../src/protocol/rewinding.ts";
import type { RunMessage } from "../../../src/protocol/run_messages.ts";
import {
  CLOSED_SETUP,
  type RunSetup,
} from "../../../src/protocol/run_setup.ts";
import { SPINNING } from "./programs.ts";

/** A run may do a little of all. */
export const SETUP: RunSetup = {
  ...CLOSED_SETUP,
  hostCalls: { count: 10, size: 10_000, timeoutMs: 60_000 },
  images: { count: 3, size: 1 << 20, total: 1 << 21 },
  pages: { count: 3, size: 1 << 20, total: 1 << 21 },
  files: { bytes: 1 << 22, count: 100 },
  variables: { GIVEN: "a variable of the host" },
};

/** One interpreter after another, each rewound as often as it can be. */
export interface Realm extends AsyncDisposable {
  /** The present interpreter. */
  readonly interpreter: Interpreter;
  /** Runs code; gives all that its client would see, as text. */
  run(code: string, globals?: object): Promise<string>;
  /** @returns Why the next interpreter is a new one. */
  rewind(): Promise<Anew | undefined>;
}

export async function openRealm(
  files: InterpreterFiles,
  options: InterpreterOptions = { setup: SETUP },
): Promise<Realm> {
  let interpreter = await start();
  return {
    get interpreter() {
      return interpreter;
    },
    run: (code, globals) => runIn(interpreter, code, globals),
    async rewind() {
      const anew: Anew | undefined = ended.has(interpreter)
        ? { cause: "ending", detail: "it has ended" }
        : interpreter.rewind
        ? await interpreter.rewind()
        : { cause: "engine", detail: "" };
      if (!anew) return undefined;
      await interpreter.end();
      interpreter = await start();
      return anew;
    },
    [Symbol.asyncDispose]: async () => void await interpreter.end(),
  };

  async function start(): Promise<Interpreter> {
    const it = await startInterpreter(files, options);
    await it.keep?.();
    return it;
  }
}

/** Saves an interpreter between two runs. */
export async function save(
  interpreter: Interpreter,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: BlobPart[] = [];
  const end = await interpreter.save(({ bytes }) => {
    pieces.push(bytes);
    return Promise.resolve();
  });
  if (end?.type !== "saved") throw new Error(JSON.stringify(end));
  return await new Blob(pieces).bytes();
}

/** Runs code in an interpreter of its own, which is never rewound. */
export async function runFresh(
  files: InterpreterFiles,
  codes: readonly string[],
  globals?: object,
): Promise<string[]> {
  const interpreter = await startInterpreter(files, { setup: SETUP });
  try {
    const heard = [];
    for (const code of codes) {
      heard.push(await runIn(interpreter, code, globals));
    }
    return heard;
  } finally {
    await interpreter.end();
  }
}

/**
 * Runs code in an interpreter that was rewound after a run that left nothing: beside a
 * fresh one its memory has places that were in use once.
 */
export async function runClean(
  files: InterpreterFiles,
  code: string,
  globals?: object,
): Promise<string[]> {
  await using realm = await openRealm(files);
  await realm.run("None");
  const anew = await realm.rewind();
  if (anew) throw new Error(JSON.stringify(anew));
  return [await realm.run(code, globals)];
}

/** Interpreters that have died, or have answered no interrupt. */
const ended = new WeakSet<Interpreter>();
const UNHEARD_MS = 5000;
const UNANSWERED_MS = 20_000;

async function runIn(
  interpreter: Interpreter,
  code: string,
  globals: object = {},
): Promise<string> {
  if (ended.has(interpreter)) return "It has ended.";
  let text = "";
  let stream = "";
  let isStopped = false;
  const gone = Promise.withResolvers<{ status: string }>();
  let unanswered: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    isStopped = true;
    interpreter.interrupt();
    // A pool ends its process.
    unanswered ??= setTimeout(() => {
      ended.add(interpreter);
      gone.resolve({ status: "killed" });
    }, UNANSWERED_MS);
  };
  // Code before may have replaced the stream that tells.
  const isEndless = code.includes(SPINNING.trim());
  const unheard = isEndless ? setInterval(stop, UNHEARD_MS) : undefined;
  const request = {
    code,
    globals: JSON.stringify(globals),
    timeoutMs: Infinity,
  };
  const bytes = new TextEncoder().encode("given");
  const running = interpreter.run(
    { request, files: [{ path: "given/file", bytes }], wantsFiles: true },
    (message) => {
      text += toText(message);
      if (text.includes(SPINNING) && !isStopped) stop();
      return Promise.resolve();
    },
  );
  const ending = await Promise.race([running, gone.promise]);
  if (ending.status === "crashed") ended.add(interpreter);
  clearInterval(unheard);
  clearTimeout(unanswered);
  // Where an endless loop is interrupted is no fact.
  return isStopped
    ? `${text.slice(0, text.indexOf(SPINNING))}${SPINNING}\n${ending.status}`
    : `${text}\n${JSON.stringify(ending)}`;

  function toText(message: RunMessage): string {
    if (message.type !== "output") return `\n${withoutId(message)}\n`;
    const isNew = message.stream !== stream;
    stream = message.stream;
    return isNew ? `\n${stream}: ${message.text}` : message.text;
  }
}

/** The host's calls are counted on, so that a late answer belongs to none. */
function withoutId(message: RunMessage): string {
  return JSON.stringify({ ...message, id: undefined });
}
