import { sha256 } from "../disk.ts";
import { messageOf, reasonOf } from "../errors.ts";
import type { GuestGrants } from "../grants/guest_grants.ts";
import { toGuestPlaces } from "../grants/policy_file/guest_places.ts";
import type { ToBridge } from "../protocol/bridge_messages.ts";
import { LARGEST_COMPONENT, maybeWasm } from "../protocol/downstream.ts";
import { MIB } from "../units.ts";
import { decodeWit, refusedImports } from "../wit/decode.ts";
import type { Wit } from "../wit/types.ts";
import { withLimits } from "./binary.ts";
import type { Called, Guest } from "./guest.ts";
import { McpGuest } from "./mcp_guest.ts";
import { Refused } from "./refused.ts";
import { GuestWorker } from "./guest_worker.ts";
import { PlainGuest } from "./plain_guest.ts";
import { keepTranslation, maybeTranslation } from "./slot.ts";
import { translate, type Translation } from "./translate.ts";
import type { Invocation } from "./worker_messages.ts";

export type Open = ToBridge & { type: "open" };

/** Memory of an instance, if the policy does not say. */
export const USUAL_MEMORY_MIB = 256;
const PAGES_PER_MIB = 16;

/**
 * Reads, translates and starts a component.
 *
 * @throws {Error} If it cannot be used; the message completes "it …", or is a sentence.
 */
export async function openGuest(open: Open): Promise<Guest> {
  const { name, file, sha256: expected, grants } = wasmOf(open.entry);
  const bytes = await readFile(file);
  const hash = sha256(bytes);
  if (hash !== expected) {
    throw new Error(
      `its file "${file}" has changed: its SHA-256 is ${hash}, and was ${expected}. Start mcp-run-python again to take the new one.`,
    );
  }
  const wit = readWit(bytes);
  const refused = refusedImports(wit);
  if (refused.length > 0) {
    throw new Error(
      `it imports ${
        refused.join(", ")
      }, which no component gets here: it may import WASI 0.2 and wasi:config/store`,
    );
  }
  if (wit.functions.length === 0) {
    const { name, reason } = wit.leftOut[0] ?? {};
    throw new Error(
      name === undefined
        ? "it exports no function, so it has no tool"
        : `it has no tool, as its functions are left out: ${name}: ${reason}`,
    );
  }
  const translation = await translationOf(open, bytes, wit);
  const mostPages = PAGES_PER_MIB *
    (grants.limits.memoryMiB ?? USUAL_MEMORY_MIB);
  const modules: Record<string, WebAssembly.Module> = {};
  for (const [key, module] of Object.entries(translation.modules)) {
    const limited = withLimits(module, mostPages);
    const compiled = await WebAssembly.compile(limited);
    refuseCode(compiled);
    modules[key] = compiled;
  }
  const mounts = await toMounts(grants);
  const start = {
    ...{ glue: translation.glue, modules, mostPages, mounts, name },
    variables: grants.variables,
    maxResult: mostOf(open),
  };
  const places = {
    ...toGuestPlaces(grants),
    ...{ component: [file], slot: open.slot === undefined ? [] : [open.slot] },
  };
  let worker = await GuestWorker.start(start, places);
  const invoke = async (
    call: Invocation,
    how: { instance?: string; first?: Invocation[] },
  ): Promise<Called> => {
    let called: Called;
    if (worker.hasFailed) {
      worker.end();
      worker = await GuestWorker.start(start, places);
    }
    try {
      called = await worker.call({ call, first: [], ...how });
    } catch (error) {
      worker.end();
      worker = await GuestWorker.start(start, places);
      throw new Refused("protocol", messageOf(error));
    }
    const { outcome } = called;
    if (outcome.kind === "size") throw new Refused("size", outcome.text);
    return called;
  };
  const parts = { wit, grants, invoke, name };
  return wit.world ? new McpGuest(parts) : new PlainGuest(parts);
}

function readWit(bytes: Uint8Array): Wit {
  try {
    return decodeWit(bytes);
  } catch (error) {
    throw new Error(`it ${messageOf(error)}`);
  }
}

/** What ends a text of JavaScript, or a line. */
const ENDS_TEXT = /["'`\\\p{Cc}\u2028\u2029]/u;

/** jco writes names of core modules into JavaScript, and does not quote them. */
function refuseCode(module: WebAssembly.Module): void {
  const names = [
    ...WebAssembly.Module.imports(module).flatMap((one) => [
      ...[one.module, one.name],
    ]),
    ...WebAssembly.Module.exports(module).map(({ name }) => name),
  ];
  const code = names.find((name) => ENDS_TEXT.test(name));
  if (code !== undefined) {
    throw new Error(
      `a core module of it has a name that could be code: ${
        JSON.stringify(code.slice(0, 80))
      }`,
    );
  }
}

async function readFile(file: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const { size } = await Deno.stat(file);
    if (size > LARGEST_COMPONENT) {
      throw new RangeError(
        `it has ${Math.ceil(size / MIB)} MiB, and may have ${
          LARGEST_COMPONENT / MIB
        }`,
      );
    }
    return await Deno.readFile(file);
  } catch (error) {
    throw new Error(`its file "${file}" cannot be read: ${reasonOf(error)}`);
  }
}

async function translationOf(
  { slot }: Open,
  bytes: Uint8Array<ArrayBuffer>,
  wit: Wit,
): Promise<Translation> {
  const known = slot === undefined ? undefined : await maybeTranslation(slot);
  if (known) return known;
  const made = await translate(bytes, wit).catch((error) => {
    throw new Error(`it ${messageOf(error)}`);
  });
  // A cache that cannot be written costs the next start its time, and nothing else.
  if (slot !== undefined) await keepTranslation(slot, made).catch(() => {});
  return made;
}

function toMounts({ paths, deniedPaths }: GuestGrants) {
  const readable = paths.filter(({ access }) => access.includes("read"));
  return Promise.all(readable.map(async ({ host, guest, access, isFile }) => ({
    ...{ host, guest, denied: deniedPaths },
    // What the user has agreed to may be either.
    ...(isFile || await isFileAt(host) ? { isFile: true as const } : {}),
    isWritable: access.includes("write"),
  })));
}

async function isFileAt(path: string): Promise<boolean> {
  return (await Deno.stat(path).catch(() => undefined))?.isFile === true;
}

export function grantsOf({ entry }: Open): GuestGrants {
  return wasmOf(entry).grants;
}

function wasmOf(entry: Open["entry"]) {
  const wasm = maybeWasm(entry);
  if (wasm) return wasm;
  throw new TypeError("The entry is not one of a component");
}

/** Characters of JSON that a result may have. */
export function mostOf(open: Open): number {
  const { maxResult } = open.limits;
  return Math.min(maxResult, grantsOf(open).limits.maxOutput ?? maxResult);
}
