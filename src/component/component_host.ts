import { sha256 } from "../disk.ts";
import { messageOf, reasonOf } from "../errors.ts";
import type { GuestGrants } from "../grants/guest_grants.ts";
import type { Mount } from "../grants/mounts.ts";
import { toGuestPlaces } from "../grants/policy_file/guest_places.ts";
import type {
  FailureKind,
  FromBridge,
  ToBridge,
} from "../protocol/bridge_messages.ts";
import {
  type DownstreamTool,
  LARGEST_COMPONENT,
  maybeWasm,
} from "../protocol/downstream.ts";
import { dataMasksOf } from "../protocol/masks.ts";
import { MIB } from "../units.ts";
import { decodeWit, refusedImports } from "../wit/decode.ts";
import { toTools } from "../wit/schema.ts";
import type { Wit } from "../wit/types.ts";
import { withMemoryLimit } from "./binary.ts";
import type { Called, Guest } from "./guest.ts";
import { McpGuest } from "./mcp_guest.ts";
import { Refused } from "./refused.ts";
import { GuestWorker, toWorkerPlaces } from "./guest_worker.ts";
import { PlainGuest } from "./plain_guest.ts";
import { keepTranslation, maybeTranslation } from "./slot.ts";
import { mayWait, translate, type Translation } from "./translate.ts";
import type { Invocation } from "./worker_messages.ts";

type Open = ToBridge & { type: "open" };
type Request = Extract<ToBridge, { type: "list" | "call" | "ask" }>;

interface HostParts {
  say(message: FromBridge): void;
  /** Ends this process, once all is said. */
  end(): void;
}

/** Memory of an instance, if the policy does not say. */
const USUAL_MEMORY_MIB = 256;
const PAGES_PER_MIB = 16;
/** Time for a call that was cancelled to end by itself. */
const LEAVE_MS = 500;

/** Answers the server's requests to one component, one after another. */
export class ComponentHost {
  #open: Open;
  #parts: HostParts;
  #guest: Promise<Guest>;
  #cover: <T>(data: T) => T;
  #queue: Request[] = [];
  #running: { id: number; deadline: ReturnType<typeof setTimeout> } | undefined;
  #isEnding = false;

  constructor(open: Open, parts: HostParts) {
    this.#open = open;
    this.#parts = parts;
    this.#cover = dataMasksOf(open.entry);
    this.#guest = openGuest(open);
    this.#guest.catch(() => {});
  }

  take(message: ToBridge): void {
    switch (message.type) {
      case "list":
      case "call":
      case "ask":
        this.#queue.push(message);
        return void this.#serve();
      case "cancel":
        return this.#cancel(message.id);
      case "notify":
        return void this.#guest.then((guest) => guest.notify?.(message))
          .catch(() => {});
    }
  }

  async #serve(): Promise<void> {
    if (this.#running || this.#isEnding) return;
    const request = this.#queue.shift();
    if (!request) return;
    const timeMs = this.#timeOf(request);
    const deadline = setTimeout(() =>
      this.#endRunning(
        "timeout",
        `it did not end within ${timeMs / 1000} s, and was stopped`,
      ), timeMs);
    this.#running = { id: request.id, deadline };
    try {
      const guest = await this.#guest;
      const answer = await this.#answer(guest, request);
      if (!this.#isEnding) this.#parts.say(answer);
    } catch (error) {
      this.#fail(request.id, error);
    } finally {
      clearTimeout(deadline);
      this.#running = undefined;
    }
    void this.#serve();
  }

  async #answer(guest: Guest, request: Request): Promise<FromBridge> {
    const { id } = request;
    switch (request.type) {
      case "list": {
        const { server, tools, offers = [] } = await guest.list();
        const covered = this.#cover({ server, tools });
        return { type: "tools", id, ...covered, offers };
      }
      case "call": {
        const { tool, arguments: args, owner = "" } = request;
        const result = await guest.call(tool, args, owner);
        return { type: "result", id, result: this.#toText(result) };
      }
      case "ask": {
        const { method, params, owner = "" } = request;
        const result = await guest.ask(method, params, owner);
        return { type: "result", id, result: this.#toText(result) };
      }
    }
  }

  #toText(result: object): string {
    const text = JSON.stringify(this.#cover(result));
    const { maxResult } = this.#open.limits;
    const most = Math.min(
      maxResult,
      grantsOf(this.#open).limits.maxOutput ?? maxResult,
    );
    if (text.length <= most) return text;
    throw new Refused(
      "size",
      `its result has ${text.length} characters of JSON, and may have ${most}`,
    );
  }

  #timeOf(request: Request): number {
    const { startMs } = this.#open.limits;
    const { timeoutMs = Infinity } = grantsOf(this.#open).limits;
    const own = request.type === "list" ? startMs : request.timeoutMs;
    return Math.min(own, timeoutMs);
  }

  #cancel(id: number): void {
    const before = this.#queue.length;
    this.#queue = this.#queue.filter((request) => request.id !== id);
    if (this.#queue.length < before) {
      return this.#fail(id, new Refused("timeout", "it was cancelled"));
    }
    if (this.#running?.id !== id) return;
    const { deadline } = this.#running;
    clearTimeout(deadline);
    this.#running.deadline = setTimeout(
      () => this.#endRunning("timeout", "it was cancelled"),
      LEAVE_MS,
    );
  }

  /** A worker that computes cannot be stopped but with its process. */
  #endRunning(kind: FailureKind, reason: string): void {
    this.#isEnding = true;
    const { id } = this.#running ?? {};
    if (id !== undefined) this.#fail(id, new Refused(kind, reason));
    const why = "the component was stopped in another call";
    for (const other of this.#queue) {
      this.#fail(other.id, new Refused("connection", why));
    }
    this.#parts.end();
  }

  #fail(id: number, error: unknown): void {
    const kind = error instanceof Refused ? error.kind : "connection";
    const reason = this.#cover(messageOf(error)).slice(0, MOST_REASON);
    this.#parts.say({ type: "failed", id, kind, reason });
  }
}

const MOST_REASON = 4000;

function grantsOf({ entry }: Open): GuestGrants {
  return wasmOf(entry).grants;
}

function wasmOf(entry: Open["entry"]) {
  const wasm = maybeWasm(entry);
  if (wasm) return wasm;
  throw new TypeError("The entry is not one of a component");
}

/**
 * Reads, translates and starts a component.
 *
 * @throws {Error} If it cannot be used; the message completes "it …", or is a sentence.
 */
async function openGuest(open: Open): Promise<Guest> {
  const { name, file, sha256: expected, grants } = wasmOf(open.entry);
  const bytes = await readFile(file);
  const hash = sha256(bytes);
  if (hash !== expected) {
    throw new Error(
      `its file "${file}" has changed: its SHA-256 is ${hash}, and was ${expected}. Start mcp-run-python again to take the new one.`,
    );
  }
  const wit = decodeWit(bytes);
  const refused = refusedImports(wit);
  if (refused.length > 0) {
    throw new Error(
      `it imports ${
        refused.join(", ")
      }, which no component gets here: it may import WASI 0.2 and wasi:config/store`,
    );
  }
  const translation = await translationOf(open, bytes, wit);
  const mostPages = PAGES_PER_MIB *
    (grants.limits.memoryMiB ?? USUAL_MEMORY_MIB);
  const modules: Record<string, WebAssembly.Module> = {};
  for (const [key, module] of Object.entries(translation.modules)) {
    const limited = withMemoryLimit(module, mostPages);
    modules[key] = await WebAssembly.compile(limited);
  }
  const mounts = toMounts(grants);
  const start = {
    ...{ glue: translation.glue, modules, mostPages, mounts, name },
    variables: grants.variables,
    waits: mayWait(wit),
  };
  const places = {
    ...toWorkerPlaces(mounts, grants.hosts),
    ...toGuestPlaces(grants),
    ...{ component: [file], slot: open.slot === undefined ? [] : [open.slot] },
  };
  let worker = await GuestWorker.start(start, places);
  const invoke = async (
    call: Invocation,
    how: { instance?: string; first?: Invocation[] },
  ): Promise<Called> => {
    try {
      return await worker.call({ call, first: [], ...how });
    } catch (error) {
      worker.end();
      worker = await GuestWorker.start(start, places);
      throw new Refused("protocol", messageOf(error));
    }
  };
  const tools = annotate(wit.world ? [] : toTools(wit), grants);
  const parts = { wit, grants, invoke, name };
  return wit.world ? new McpGuest(parts) : new PlainGuest(parts, tools);
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
  const made = await translate(bytes, wit);
  // A cache that cannot be written costs the next start its time, and nothing else.
  if (slot !== undefined) await keepTranslation(slot, made).catch(() => {});
  return made;
}

function toMounts({ paths, deniedPaths }: GuestGrants): Mount[] {
  return paths.filter(({ isFile, access }) =>
    !isFile && access.includes("read")
  )
    .map(({ host, guest, access }) => ({
      ...{ host, guest },
      isWritable: access.includes("write"),
      denied: deniedPaths,
    }));
}

/** A component can change nothing but what its policy grants. */
function annotate(
  tools: DownstreamTool[],
  { hosts, paths }: GuestGrants,
): DownstreamTool[] {
  const changes = paths.some(({ access }) => access.includes("write"));
  const isOpen = hosts.length > 0;
  const annotations = {
    readOnlyHint: !changes && !isOpen,
    destructiveHint: changes,
    openWorldHint: isOpen,
  };
  return tools.map((tool) => ({ ...tool, annotations }));
}
