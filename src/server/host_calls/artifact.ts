import { isCount, maybeBase64 } from "../../protocol/fields.ts";
import { PIECE_BYTES } from "../../protocol/run_files.ts";
import { type HostCall, HostCallError } from "./host_call.ts";
import {
  keptCall,
  looks,
  parseKey,
  parseMetadata,
  toJson,
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
  return keptCall("artifact", kept, {
    begin(order) {
      const name = parseName(order);
      const size = parseCount(order.size, "size");
      const value = { size, ...parseMetadata(order.metadata) };
      return async (owner, kept) => {
        const draft = open(owner);
        try {
          draft.kept = await kept.begin("artifacts", owner, name, value);
        } catch (error) {
          close(draft);
          throw error;
        }
        return { draft: draft.id, piece };
      };
    },
    append(order) {
      const id = parseDraft(order);
      const bytes = parsePiece(order.data);
      return async (owner) => {
        const draft = find(id, owner);
        draft.used = now();
        await draft.kept.append(bytes);
        return {};
      };
    },
    commit(order) {
      const id = parseDraft(order);
      return async (owner) => {
        const draft = find(id, owner);
        close(draft);
        return toJson((await draft.kept.commit()).facts);
      };
    },
    abort(order) {
      const id = parseDraft(order);
      return async (owner) => {
        await find(id, owner).giveWay();
        return {};
      };
    },
    read(order) {
      const name = parseName(order);
      const offset = parseCount(order.offset, "offset");
      const of = typeof order.revision === "string"
        ? { revision: order.revision.slice(0, 64) }
        : {};
      const part = { offset, length: piece, ...of };
      return async (owner, kept) => {
        const found = await kept.read("artifacts", owner, name, part);
        if (!found) return { found: false };
        const data = found.bytes.toBase64();
        // Its metadata could take the room of the piece.
        const { bytes, revision } = found.facts;
        return { found: true, data, bytes, revision };
      };
    },
    ...looks("artifacts", parseName, maxCall),
  });

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

function parseDraft({ draft }: Record<string, unknown>): string {
  return parseKey(draft, "draft");
}

function parsePiece(data: unknown): Uint8Array<ArrayBuffer> {
  const bytes = typeof data === "string" ? maybeBase64(data) : undefined;
  if (bytes && bytes.length <= PIECE_BYTES) return bytes;
  throw new TypeError(`data must be base64 of at most ${PIECE_BYTES} bytes`);
}

/** Artifacts become files of Python by their names. */
function parseName(order: Record<string, unknown>): string {
  const name = parseKey(order.name, "name");
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
