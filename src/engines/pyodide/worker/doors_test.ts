import { assert, assertEquals } from "../../../../deps/assert.ts";

const DOORS = new URL("./doors.ts", import.meta.url);

/** The language, as ECMAScript names it. */
const LANGUAGE = `
  AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array BigUint64Array Boolean
  DataView Date DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array
  Function Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy
  RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String SuppressedError Symbol SyntaxError
  TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly
  decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN parseFloat
  parseInt undefined unescape`;
const WEB = `
  AbortController AbortSignal DOMException Event EventTarget MessageChannel TextDecoder TextEncoder URL
  WorkerGlobalScope clearInterval clearTimeout console crypto location performance queueMicrotask self
  setInterval setTimeout`;
/** Names that exist so that Python cannot define them. */
const SHUT = "Buffer Deno global process setImmediate";

const words = (...texts: string[]) => texts.join(" ").trim().split(/\s+/);

interface Scope {
  names: string[];
  isExtensible: boolean;
}

interface Seen {
  /** The global scope, and its prototypes. */
  scopes: Scope[];
  shut: [name: string, descriptor: unknown][];
  /** The value of `Error.stackTraceLimit`, and a stack after attempts to change it. */
  stackTraceLimit: unknown;
  stack: string | undefined;
  /** The type of a timer. */
  timer: string;
  lastWords: string;
}

Deno.test("doors.ts leaves a list of names, and no room for more", async (test) => {
  const seen = await seenAfter(DOORS);
  const [scope, ...prototypes] = seen.scopes;
  await test.step("the names are the language, and of the web what cannot reach out", () => {
    assertEquals(scope?.names, words(LANGUAGE, WEB, SHUT).sort());
  });
  await test.step("the prototypes behind have no name of their own, and take none", () => {
    const [dedicated, worker, target, object] = prototypes;
    assertEquals([dedicated?.names, worker?.names], [
      ["constructor"],
      ["constructor"],
    ]);
    assertEquals(target?.names, [
      ...["addEventListener", "constructor", "dispatchEvent", "getParent"],
      "removeEventListener",
    ]);
    assert(object?.names.includes("hasOwnProperty"));
    assertEquals(prototypes.map(({ isExtensible }) => isExtensible), [
      ...[false, false, false, false],
    ]);
  });
  await test.step("Deno, process and their like are undefined for good", () => {
    const shut = { writable: false, enumerable: false, configurable: false };
    assertEquals(
      seen.shut,
      words(SHUT).map((name) => [name, { value: undefined, ...shut }]),
    );
  });
  await test.step("a stack names no file, whatever code asks for", () => {
    assertEquals([seen.stackTraceLimit, seen.stack], [0, undefined]);
  });
  await test.step("timers are our own", () => {
    assertEquals(seen.timer, "number");
  });
  await test.step("what is written to the console is kept in part", () => {
    assertEquals(seen.lastWords, "x".repeat(2000));
  });
});

/** The findings of code in a worker that has imported a module. */
async function seenAfter(module: URL): Promise<Seen> {
  const code = `
    const post = postMessage;
    ${look}
    const module = await import(${JSON.stringify(module.href)});
    post(look(module, ${JSON.stringify(words(SHUT))}));`;
  const worker = new Worker(
    `data:text/javascript,${encodeURIComponent(code)}`,
    { type: "module" },
  );
  const seen = await new Promise<Seen>((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
  });
  worker.terminate();
  return seen;
}

/** Runs in the worker, without access to this file. */
function look(
  { lastWords }: { lastWords: { text: string } },
  shut: string[],
): Seen {
  const scopes: Scope[] = [];
  for (
    let scope: object | null = globalThis;
    scope !== null;
    scope = Object.getPrototypeOf(scope)
  ) {
    scopes.push({
      names: Object.getOwnPropertyNames(scope).sort(),
      isExtensible: Object.isExtensible(scope),
    });
  }
  Reflect.set(Error, "stackTraceLimit", 50);
  Reflect.defineProperty(Error, "stackTraceLimit", { value: 50 });
  // deno-lint-ignore no-console
  console.error("x".repeat(3000));
  return {
    scopes,
    shut: shut.map((name) => [
      name,
      Object.getOwnPropertyDescriptor(globalThis, name),
    ]),
    stackTraceLimit: Reflect.get(Error, "stackTraceLimit"),
    stack: new Error("x").stack,
    timer: typeof setTimeout(() => {}),
    lastWords: lastWords.text,
  };
}
