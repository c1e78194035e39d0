import type { ElicitRequestFormParams } from "../../../deps/mcp_server.ts";
import type { Owner } from "../sessions/kept_session.ts";
import { readAnswer, toForm } from "./approval_form.ts";
import type { Approval, CodeModeRun } from "./code_mode_run.ts";
import { Semaphore } from "../../semaphore.ts";

/** A way to ask the user of a call's client. */
export interface Asking {
  /**
   * Gives the client's answer, which may be anything.
   *
   * @throws The signal's reason, if the answer is not wanted any more.
   */
  ask(form: ElicitRequestFormParams, signal: AbortSignal): Promise<unknown>;
  /** Questions that a run may ask at a time; others wait for their turn. */
  atATime: number;
}

/** Time after which the tools of a connection are forgotten that is not used. */
const IDLE_MS = 3_600_000;
/** Connections whose tools are kept, and tools of each. */
const MOST_CONNECTIONS = 200;
const MOST_TOOLS = 1000;

/** After so many declined questions of a run, the user gets no more of them. */
const MOST_DECLINED = 10;

interface Allowed {
  tools: Set<string>;
  used: number;
}

/** Asks users whether tools may be called, and keeps what they allow for a session. */
export class Approvals {
  /** By connection, the least recently used one first. */
  #allowed = new Map<string, Allowed>();

  constructor(private now: () => number = () => performance.now()) {}

  /**
   * The approval of a run.
   *
   * @param asking Undefined if the client cannot ask its user.
   */
  open(
    owner: Owner,
    asking: Asking | undefined,
    audit: CodeModeRun["audit"],
  ): CodeModeRun["approve"] {
    const turns = new Semaphore(asking?.atATime ?? 1);
    let declined = 0;
    return async (question, signal) => {
      const { server, revision, tool } = question;
      const name = JSON.stringify([server, revision, tool]);
      const since = performance.now();
      const isAllowed = () => this.#find(owner)?.tools.has(name) ?? false;
      const end = (approval: Approval, answer: string = approval) => {
        const ms = Math.round(performance.now() - since);
        audit("approval", { server, tool, answer, ms });
        return approval;
      };
      if (isAllowed()) return end("accepted", "accepted before");
      if (!asking) return end("unable");
      try {
        using _turn = await turns.take(signal);
        // The answer to an earlier question may be for this one, too.
        if (isAllowed()) return end("accepted", "accepted before");
        // Code could ask until a yes slips in.
        if (declined >= MOST_DECLINED) return end("declined", "not asked");
        // What may start is for the server's whole life, and not kept here.
        const canRemember = owner.connection !== undefined &&
          tool !== undefined;
        const form = toForm(question, { canRemember });
        const answer = readAnswer(await asking.ask(form, signal));
        if (!answer.isAccepted) {
          declined++;
          return end("declined");
        }
        if (!canRemember || !answer.isRemembered) return end("accepted");
        this.#allow(owner, name);
        return end("accepted", "accepted for the session");
      } catch (error) {
        end("declined", signal.aborted ? "no answer" : "failed");
        throw error;
      }
    };
  }

  #find(owner: Owner): Allowed | undefined {
    if (owner.connection === undefined) return undefined;
    const key = keyOf(owner);
    const found = this.#allowed.get(key);
    this.#allowed.delete(key);
    if (!found || found.used < this.now() - IDLE_MS) return undefined;
    found.used = this.now();
    this.#allowed.set(key, found);
    return found;
  }

  #allow(owner: Owner, name: string): void {
    const { tools } = this.#find(owner) ?? { tools: new Set() };
    if (tools.size < MOST_TOOLS) tools.add(name);
    this.#allowed.set(keyOf(owner), { tools, used: this.now() });
    const [oldest] = this.#allowed.keys();
    if (this.#allowed.size > MOST_CONNECTIONS && oldest !== undefined) {
      this.#allowed.delete(oldest);
    }
  }
}

function keyOf({ name, connection }: Owner): string {
  return JSON.stringify([name, connection]);
}
