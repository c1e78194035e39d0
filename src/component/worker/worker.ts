// The untrusted side: instances of one component, and calls of their functions. The order
// of the imports matters: `doors.ts` takes what is needed of Deno, and closes the rest.
import { firstMessage, forgetPath } from "./doors.ts";
import { freezeLanguage } from "../../engines/shared/freeze.ts";
import type { Denied } from "../../grants/guest_grants.ts";
import { toJsonText } from "../../wit/json_text.ts";
import { toCamelCase } from "../../wit/names.ts";
import { maybeResultTypes, toGuestArguments } from "../../wit/values.ts";
import {
  type FromWorker,
  type Invocation,
  MOST_PRINTED,
  type Outcome,
  type ToWorker,
  type WorkerStart,
} from "../worker_messages.ts";
import { openFetch } from "./http.ts";
import { type Instance, openInstances } from "./instance.ts";
import { openWasi } from "./wasi.ts";

/** Instances that live on, for as many callers; the least recently used one goes. */
const MOST_KEPT = 16;

const { start, port } = await firstMessage as {
  start: WorkerStart;
  port: MessagePort;
};
const post = port.postMessage.bind(port) as (message: FromWorker) => void;
for (const path of start.ownReads) forgetPath("read", path);
for (const path of start.ownWrites) forgetPath("write", path);

let denied: Denied[] = [];
let printed = "";
const onDenied = (one: Denied) => {
  const key = JSON.stringify(one);
  if (!denied.some((other) => JSON.stringify(other) === key)) denied.push(one);
};
Reflect.set(globalThis, "fetch", openFetch(start.hosts, onDenied));
// The component's JavaScript could replace a method that this program calls.
freezeLanguage();

const kept = new Map<string, Instance>();
let spare: Promise<Instance> | undefined;
let makeInstance: () => Promise<Instance>;

try {
  const make = await openInstances(start);
  const wasi = {
    ...{ name: start.name, variables: start.variables, mounts: start.mounts },
    print(text: string) {
      printed = (printed + text).slice(-MOST_PRINTED);
    },
    onDenied,
  };
  makeInstance = () => make(openWasi(wasi));
  // A component that cannot be instantiated says so at once.
  spare = Promise.resolve(await makeInstance());
  post({ type: "ready" });
} catch (error) {
  post({ type: "broken", reason: explain(error) });
}

port.onmessage = ({ data }: MessageEvent<ToWorker>) => void serve(data);

async function serve(order: ToWorker): Promise<void> {
  denied = [];
  printed = "";
  const outcome = await answer(order);
  post({ type: "done", id: order.id, outcome, denied, printed });
  // The next call finds it ready.
  spare ??= makeInstance();
  spare.catch(() => spare = undefined);
}

async function answer(
  { call, instance: key, first }: ToWorker,
): Promise<Outcome> {
  let args: unknown[];
  try {
    // Wrong arguments use up no instance.
    args = readArguments(call);
  } catch (error) {
    return { kind: "arguments", text: Object(error).message };
  }
  let instance: Instance | undefined;
  try {
    instance = key === undefined ? undefined : kept.get(key);
    if (!instance) {
      instance = await takeSpare();
      for (const one of first) await invoke(instance, one, readArguments(one));
    }
    const outcome = await invoke(instance, call, args);
    if (key !== undefined) keep(key, instance);
    return bounded(outcome);
  } catch (error) {
    // A trap poisons an instance.
    if (key !== undefined) kept.delete(key);
    return { kind: "trap", text: explain(error, instance) };
  }
}

function readArguments({ fn, args }: Invocation): unknown[] {
  return toGuestArguments(fn, JSON.parse(args));
}

/** The process would take several times as much for a large value. */
function bounded(outcome: Outcome): Outcome {
  const { length } = outcome.text;
  if (length <= start.maxResult) return outcome;
  const text =
    `its result has ${length} characters of JSON, and may have ${start.maxResult}`;
  return { kind: "size", text };
}

async function takeSpare(): Promise<Instance> {
  const taken = spare ?? makeInstance();
  spare = undefined;
  return await taken;
}

function keep(key: string, instance: Instance): void {
  kept.delete(key);
  kept.set(key, instance);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
}

async function invoke(
  { exports }: Instance,
  { fn }: Invocation,
  args: unknown[],
): Promise<Outcome> {
  const scope = fn.interface === undefined
    ? exports
    : Object(exports[fn.interface]);
  const target: unknown = Reflect.get(scope, toCamelCase(fn.name));
  if (typeof target !== "function") {
    throw new TypeError(`it does not export ${fn.name}`);
  }
  const { ok, error } = maybeResultTypes(fn) ?? { ok: fn.result };
  try {
    const value = await target(...args);
    return { kind: "value", text: ok ? toJsonText(value, ok) : "" };
  } catch (thrown) {
    const isFailure = maybeResultTypes(fn) !== undefined &&
      thrown instanceof Error && Object.hasOwn(thrown, "payload");
    if (!isFailure) throw thrown;
    const payload: unknown = Reflect.get(thrown, "payload");
    return { kind: "error", text: error ? toJsonText(payload, error) : "null" };
  }
}

/** What went wrong, in words. */
function explain(error: unknown, instance?: Instance): string {
  const { message = String(error), exitError, code } = Object(error);
  if (exitError === true) return `it has ended itself with code ${code}`;
  if (instance?.isFull) {
    return `it has taken all of its memory, ${
      start.mostPages / 16
    } MiB (${message}): x-limits.memory of its policy allows more`;
  }
  if (error instanceof RangeError && /call stack/.test(message)) {
    return "its stack is full: it calls itself too deep";
  }
  if (/unreachable/.test(message)) {
    return "it has stopped at an error of its own (unreachable)";
  }
  // Words of V8 about the glue name it by all of its text.
  return String(message).replace(/ at data:.*/s, "").slice(0, MOST_PRINTED);
}
