import { log } from "../../../src/log.ts";
import type { Called } from "../../support/server.ts";
import { type Kind, KINDS } from "./kinds.ts";

/** What became of the runs of one kind. */
export interface Count {
  right: number;
  /** Given up by its client, as it was meant to be. */
  cancelled: number;
  /** Answered with an error of our own, as a process was killed or stopped. */
  lost: number;
  /** Everything else. */
  wrong: number;
}

type Named = Pick<Kind, "name">;

/** Sorts answers into right, lost and wrong ones. */
export class Tally {
  /** By the name of their kind. */
  readonly counts: Map<string, Count>;
  /** Wrong answers, and what was asked. */
  readonly wrong: string[] = [];
  /** Answers that told of a loss by a fault. */
  readonly lost: string[] = [];

  constructor(kinds: readonly Named[] = KINDS) {
    this.counts = new Map(
      kinds.map(({ name }) => [
        name,
        { right: 0, cancelled: 0, lost: 0, wrong: 0 },
      ]),
    );
  }

  /** Of all kinds together. */
  get all(): Count {
    const sum = { right: 0, cancelled: 0, lost: 0, wrong: 0 };
    for (const count of this.counts.values()) {
      for (const name of COLUMNS) sum[name] += count[name];
    }
    return sum;
  }

  /** Runs that have ended. */
  get ended(): number {
    return Object.values(this.all).reduce((sum, one) => sum + one);
  }

  /** Notes an answer. */
  answered(kind: Kind, nonce: string, called: Called): void {
    if (!isOfOther(called.text, nonce) && kind.isRight(called, nonce)) {
      this.count(kind, "right");
    } else if (!isOfOther(called.text, nonce) && isLoss(called)) {
      this.count(kind, "lost");
    } else this.failed(kind, nonce, called.text.slice(0, 1000));
  }

  /** Notes a call that its client gave up. */
  cancelled(kind: Named): void {
    this.count(kind, "cancelled");
  }

  /** Notes something that should not have come. */
  failed(kind: Named, nonce: string, what: string): void {
    this.wrong.push(`${kind.name}, ${nonce}: ${what}`);
    log(`wrong answer: ${this.wrong.at(-1)}`);
    this.count(kind, "wrong");
  }

  /** Notes an answer that was judged elsewhere. */
  count(kind: Named, what: keyof Count): void {
    const count = this.counts.get(kind.name);
    if (count) count[what]++;
  }
}

/** In the order in which they are shown. */
export const COLUMNS = ["right", "cancelled", "lost", "wrong"] as const;

/** A mark that is in one question only. */
export function makeNonce(): string {
  return `nonce-${crypto.randomUUID()}`;
}

function isOfOther(text: string, nonce: string): boolean {
  return (text.match(/nonce-[0-9a-f-]{36}/g) ?? []).some((one) =>
    one !== nonce
  );
}

/** What a call may get whose process is killed or stopped. */
function isLoss({ status, error }: Called): boolean {
  return status === "crashed" &&
      /its process ended|Python cannot start/.test(error ?? "") ||
    status === "timeout" &&
      /did not react, and was killed/.test(error ?? "");
}
