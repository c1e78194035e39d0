import { isCount, maybeBase64 } from "../../protocol/fields.ts";
import { PIECE_BYTES } from "../../protocol/run_files.ts";
import type { Json } from "../../protocol/run_result.ts";
import { type HostCall, hostCall, HostCallError } from "./host_call.ts";
import {
  type Look,
  look,
  parseKey,
  parseList,
  parseMetadata,
  toJson,
  withKept,
} from "./kept_calls.ts";
import { type Item, Share } from "../../shares.ts";
import { MOST_DRAFTS } from "../shares.ts";
import type { Kept, KeptDraft } from "../keeper.ts";

/** Time without a piece after which a draft gives way to others. */
const LEFT_MS = 10_000;
/** Time without a piece after which a draft is given up. */
const IDLE_MS = 10 * 60 * 1000;
/** Characters of a call beside its piece. */
const BESIDE = 600;

type Order =
  | { action: "begin"; name: string; size: number; metadata?: string }
  | { action: "append"; draft: string; data: Uint8Array<ArrayBuffer> }
  | { action: "commit" | "abort"; draft: string }
  | { action: "read"; name: string; offset: number; revision?: string }
  | Look;

interface OpenDraft extends Item {
  id: string;
  kept?: KeptDraft;
  used: number;
  giveWay(): Promise<void>;
}

/**
 * The artifacts of a client: bytes by name, which come and go in pieces, as base64.
 *
 * @param options.maxCall Characters of a call, and of its answer.
 */
export function openArtifact(
  kept: Kept,
  { maxCall, share = new Share(MOST_DRAFTS), now = Date.now }: {
    maxCall: number;
    share?: Share;
    now?: () => number;
  },
): HostCall {
  const piece = Math.min(PIECE_BYTES, Math.floor((maxCall - BESIDE) / 4) * 3);
  const drafts = new Map<string, OpenDraft>();
  return hostCall({
    name: "artifact",
    parse: parseOrder,
    answer: (order, caller) =>
      withKept(caller, kept, (owner, audited) => obey(order, owner, audited)),
  });

  async function obey(order: Order, owner: string, kept: Kept): Promise<Json> {
    switch (order.action) {
      case "begin": {
        const { name, action: _, ...value } = order;
        const draft = open(owner);
        try {
          draft.kept = await kept.begin("artifacts", owner, name, value);
        } catch (error) {
          close(draft);
          throw error;
        }
        return { draft: draft.id, piece };
      }
      case "append": {
        const draft = find(order.draft, owner);
        draft.used = now();
        await draft.kept.append(order.data);
        return {};
      }
      case "commit": {
        const draft = find(order.draft, owner);
        close(draft);
        return toJson((await draft.kept.commit()).facts);
      }
      case "abort": {
        const draft = find(order.draft, owner);
        await draft.giveWay();
        return {};
      }
      case "read": {
        const { name, action: _, ...from } = order;
        const part = { ...from, length: piece };
        const found = await kept.read("artifacts", owner, name, part);
        if (!found) return { found: false };
        const data = found.bytes.toBase64();
        // Its metadata could take the room of the piece.
        const { bytes, revision } = found.facts;
        return { found: true, data, bytes, revision };
      }
      default:
        return await look(order, { kept, space: "artifacts", owner, maxCall });
    }
  }

  function find(
    id: string,
    owner: string,
  ): OpenDraft & { kept: KeptDraft } {
    const draft = drafts.get(id);
    if (draft && isOpen(draft) && draft.caller === owner) return draft;
    throw new HostCallError(
      "RuntimeError",
      "Cannot go on with the artifact: its draft was given up. Save it anew.",
    );
  }

  /** Takes a place for a draft; those that their runs have left go. */
  function open(owner: string): OpenDraft {
    for (const draft of drafts.values()) {
      if (now() - draft.used > IDLE_MS) void draft.giveWay();
    }
    const draft: OpenDraft = {
      id: crypto.randomUUID(),
      ...{ caller: owner, amount: 1, used: now() },
      rest: () => now() - draft.used > LEFT_MS ? "idle" : "used",
      async giveWay() {
        close(draft);
        await draft.kept?.abort();
      },
    };
    if (!share.take(draft)) {
      throw new HostCallError(
        "RuntimeError",
        `Cannot save another artifact as ${share.status.used} are being saved: wait until one is saved.`,
      );
    }
    drafts.set(draft.id, draft);
    return draft;
  }

  function close(draft: OpenDraft): void {
    share.drop(draft);
    drafts.delete(draft.id);
  }
}

function isOpen(draft: OpenDraft): draft is OpenDraft & { kept: KeptDraft } {
  return draft.kept !== undefined;
}

function parseOrder(data: unknown): Order {
  const {
    action,
    name,
    size,
    metadata,
    draft,
    offset,
    revision,
    after,
    ...it
  } = { ...Object(data) };
  switch (action) {
    case "begin":
      return {
        action,
        name: parseName(name),
        size: parseCount(size, "size"),
        ...parseMetadata(metadata),
      };
    case "append": {
      const bytes = typeof it.data === "string"
        ? maybeBase64(it.data)
        : undefined;
      if (!bytes || bytes.length > PIECE_BYTES) {
        throw new TypeError(
          `data must be base64 of at most ${PIECE_BYTES} bytes`,
        );
      }
      return { action, draft: parseKey(draft, "draft"), data: bytes };
    }
    case "commit":
    case "abort":
      return { action, draft: parseKey(draft, "draft") };
    case "read":
      return {
        action,
        name: parseName(name),
        offset: parseCount(offset, "offset"),
        ...(typeof revision === "string"
          ? { revision: revision.slice(0, 64) }
          : {}),
      };
    case "info":
    case "delete":
      return { action, key: parseName(name) };
    case "list":
      return parseList(after);
  }
  throw new TypeError(
    "action must be begin, append, commit, abort, read, info, delete or list",
  );
}

/** Artifacts become files of Python by their names. */
function parseName(data: unknown): string {
  const name = parseKey(data, "name");
  // deno-lint-ignore no-control-regex
  if (!/[/\\\x00-\x1f\x7f]/.test(name) && name !== "." && name !== "..") {
    return name;
  }
  throw new RangeError(
    `Cannot use ${
      JSON.stringify(name)
    } as the name of an artifact: it must be the name of a file, without folders.`,
  );
}

function parseCount(data: unknown, what: string): number {
  if (isCount(data)) return data;
  throw new TypeError(`${what} must be a whole number from 0 on`);
}
