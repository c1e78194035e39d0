import type { Called } from "../../support/server.ts";

interface Kept {
  secret: string;
  count: number;
}

/** A session's state, as its client can tell it. */
type State =
  /** The next call must be told of the loss, and must not run. */
  | "lost"
  /** Nothing has run, or the loss was told. */
  | "fresh"
  | Kept;

/** The judgement of an answer; `lost` needs a process that was killed or stopped. */
export type Verdict = "right" | "lost" | "wrong";

/** Keeps a secret and a count; the secret is in a file, too. */
export const COUNT = `
if "secret" in globals():
    count += 1
else:
    with open("secret", "w") as file: file.write(offered)
    secret, count = offered, 1
`;

/** The state's words, which all answers are searched for. */
const WORDS = /(nonce-[0-9a-f-]{36}) (\d+)/;

/**
 * All that a session's state may be, by its answers so far: a call that the client
 * gave up leaves several possibilities.
 */
export class SessionModel {
  /** Undefined before the session is open. */
  handle: string | undefined;
  /** Offered to this session, and to no other. */
  #secrets = new Set<string>();
  #states: State[] = ["fresh"];
  /** What its state has been since the last loss: it may go back to one that is stored. */
  #past: Kept[] = [];
  /** Whether a loss may be told without a fault. */
  #mayBeGone = false;
  /** Whether a call has said that the next one goes on from a stored state. */
  #isBack = false;

  /** Makes a secret that the session takes if it has none. */
  offer(): string {
    const secret = `nonce-${crypto.randomUUID()}`;
    this.#secrets.add(secret);
    return secret;
  }

  /** Whether a text has a secret of another session. */
  isOfOther(text: string): boolean {
    return (text.match(/nonce-[0-9a-f-]{36}/g) ?? [])
      .some((secret) => !this.#secrets.has(secret));
  }

  /**
   * Judges the answer of code that begins with `COUNT`.
   *
   * @param how.mayKill Whether such code may take its interpreter with it.
   * @param how.isAtOnce Whether other calls waited beside this one: each is told.
   */
  answered(
    called: Called,
    offered: string,
    { mayKill, isAtOnce }: { mayKill: boolean; isAtOnce: boolean },
  ): Verdict {
    if (this.isOfOther(called.text)) return "wrong";
    const { status, error = "" } = called;
    if (status === "session-lost") {
      const wasLost = this.#states.includes("lost") || this.#mayBeGone ||
        isAtOnce && this.#isFresh;
      this.#states = ["fresh"];
      this.#mayBeGone = false;
      this.#past = [];
      return wasLost ? "right" : "lost";
    }
    if (/state is gone/.test(error)) {
      this.#states = ["lost"];
      return mayKill ? "right" : "lost";
    }
    let hasResumed = called.structured.resumed !== undefined;
    // Then the answer before has said so, and this run begins from nothing, and says that.
    if (this.#states.every((state) => state === "lost")) {
      if (!hasResumed) return "wrong";
      this.#states = ["fresh"];
      this.#past = [];
      hasResumed = false;
    }
    const mayBeLost = mayKill || this.#states.includes("lost") ||
      this.#mayBeGone || this.#isBack;
    if (hasResumed) {
      this.#goBack();
      this.#isBack = false;
    }
    if (/session goes on from its state of/.test(error)) {
      this.#goBack();
      this.#isBack = true;
      return mayBeLost ? "right" : "lost";
    }
    const told = this.#findTold(called);
    const next = this.#next(offered);
    if (told) {
      const now = next.filter((one) => isSame(one, told));
      this.#states = now;
      this.#past = hasResumed
        ? this.#past.filter(({ count }) => count < told.count)
        : this.#past;
      this.#note(now);
      if (now.length === 0) return "wrong";
      return hasResumed && !mayBeLost ? "lost" : "right";
    }
    const isLimit = status === "timeout" || status === "memory-limit";
    if (isLimit && /session goes on/.test(error)) {
      this.#states = [...this.#states, ...next];
      this.#note(next);
      return mayKill ? "right" : "lost";
    }
    const isFault = status === "crashed" &&
      /its process ended|cannot/.test(error);
    this.mayBeLost();
    return isFault ? "lost" : "wrong";
  }

  /** Notes a call that its client gave up, who may have missed that it told of a loss. */
  givenUp(offered: string): void {
    const before = [...this.#states];
    this.#states = [...before, ...this.#past];
    const next = this.#next(offered);
    this.#note(next);
    this.#states = [...before, ...this.#past, "lost", "fresh"];
  }

  #note(states: Kept[]): void {
    const isNew = (state: Kept) =>
      !this.#past.some((one) => isSame(one, state));
    this.#past.push(...states.filter(isNew));
  }

  /** Notes that the session goes on from what was stored of it. */
  #goBack(): void {
    this.#states = this.#past.length === 0 ? ["fresh"] : [...this.#past];
  }

  /**
   * Notes that the state cannot be saved, and is lost if it makes room. It stays so for
   * later calls: a task of a session goes on with its runs alone.
   */
  mayBeLost(): void {
    this.#states = [...this.#states, "lost"];
    this.#mayBeGone = true;
  }

  /** Notes that its server has ended, after which no server knows a session without a state. */
  noteServerEnd(): void {
    if (this.#isFresh) this.#mayBeGone = true;
  }

  get #isFresh(): boolean {
    return this.#states.every((state) => state === "fresh");
  }

  /** Judges that the session could not be copied: it may be lost. */
  notCopied(): Verdict {
    const hasState = this.#states.every((state) => typeof state === "object");
    this.mayBeLost();
    return hasState ? "lost" : "right";
  }

  /** A model of the session's copy. */
  copy(handle: string): SessionModel {
    const copy = new SessionModel();
    copy.handle = handle;
    copy.#secrets = new Set(this.#secrets);
    copy.#states = [...this.#states];
    copy.#past = [...this.#past];
    copy.#isBack = this.#isBack;
    copy.#mayBeGone = this.#mayBeGone;
    return copy;
  }

  /** Notes that there is no such session; whether that can be. */
  forget(): Verdict {
    const verdict = this.#mayBeGone ? "right" : this.notCopied();
    this.#mayBeGone = this.#isBack = false;
    this.handle = undefined;
    this.#states = ["fresh"];
    this.#past = [];
    return verdict;
  }

  /** The secret and the count that an answer tells. */
  #findTold({ returnValue, output, error }: Called): Kept | undefined {
    const texts = [returnValue, ...output, error].map(String);
    const [, secret, count] = WORDS.exec(texts.join("\n")) ?? [];
    return secret === undefined ? undefined : { secret, count: Number(count) };
  }

  /** The states that there may be once code has run. */
  #next(offered: string): Kept[] {
    return this.#states.flatMap((state) => {
      if (state === "lost") return [];
      return state === "fresh"
        ? [{ secret: offered, count: 1 }]
        : [{ ...state, count: state.count + 1 }];
    });
  }
}

function isSame(one: Kept, other: Kept): boolean {
  return one.secret === other.secret && one.count === other.count;
}
