// deno-lint-ignore-file camelcase -- Emscripten's names

import type { HiwireKey, SavedMemory } from "../../checkpoint_format.ts";

/** The part of the Emscripten module that this file uses. */
export interface HiwireTable {
  __hiwire_get(index: number): unknown;
  __hiwire_immortal_get(index: number): unknown;
}

/** The part of Pyodide's own interface that this file uses. */
export interface HiwireNames {
  config: { jsglobals: Record<string, unknown> };
  abortSignalAny?: unknown;
  getExpectedKeys(): unknown[];
}

/** Objects of JavaScript's that are described in a reason. */
const MOST_DESCRIBED = 3;

/**
 * Names the objects of JavaScript's that Python holds: they are outside of its
 * memory. An object that has no name is a reason against saving.
 */
export function nameHiwire(
  table: HiwireTable,
  api: HiwireNames,
  reasons: string[],
): Pick<SavedMemory, "hiwireKeys" | "immortalKeys"> {
  const { jsglobals } = api.config;
  const named = new Map<unknown, HiwireKey>();
  for (const [name, it] of Object.entries(jsglobals)) {
    if (Object(it) === it) named.set(it, { path: [name] });
  }
  named.set(jsglobals, { path: [] });
  named.set(api, { API: true });
  if (api.abortSignalAny) {
    named.set(api.abortSignalAny, { abortSignalAny: true });
  }
  const strange: unknown[] = [];
  // The first are Pyodide's own, and made anew.
  const own = api.getExpectedKeys().length;
  const hiwireKeys = [...entriesOf((at) => table.__hiwire_get(at + own))]
    .map((it) => {
      const key = it === null || it === undefined ? null : named.get(it);
      if (key === undefined) strange.push(it);
      return key ?? null;
    });
  const immortals = [...entriesOf((at) => table.__hiwire_immortal_get(at))];
  const first = 1 +
    immortals.findIndex((it) => Reflect.get(Object(it), "noValueMarker") === 1);
  const immortalKeys = immortals.slice(first).map(String);
  if (strange.length > 0) {
    const list = strange.slice(0, MOST_DESCRIBED).map(describe).join(", ");
    reasons.push(
      `Python holds objects of JavaScript's: ${strange.length} (${list})`,
    );
  }
  return { hiwireKeys, immortalKeys };
}

/** Pyodide throws behind the end of a table. */
export function* entriesOf(get: (at: number) => unknown): Generator<unknown> {
  for (let at = 0;; at++) {
    let entry: unknown;
    try {
      entry = get(at);
    } catch {
      return;
    }
    yield entry;
  }
}

function describe(it: unknown): string {
  return Object.prototype.toString.call(it).slice(0, 40);
}

/** Bytes of Pyodide's head before its JSON text: magic, lengths, build. */
const FIXED = 48;

/** Makes the head of a snapshot for other entries of the table. */
export function headWith(
  base: Uint8Array,
  { hiwireKeys, immortalKeys }: Pick<
    SavedMemory,
    "hiwireKeys" | "immortalKeys"
  >,
): Uint8Array {
  const json = new TextEncoder().encode(
    JSON.stringify({ hiwireKeys, immortalKeys }),
  );
  const length = Math.ceil((FIXED + json.length) / 16) * 16;
  const head = new Uint8Array(length);
  head.set(base.subarray(0, FIXED));
  new Uint32Array(head.buffer).set([length, json.length], 1);
  head.set(json, FIXED);
  return head;
}
