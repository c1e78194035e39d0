import type { HttpServer } from "../../support/http_server.ts";
import { type Post, postCall, postRequest } from "../../support/mcp_post.ts";
import type { Random } from "./random.ts";
import type { Tally } from "./tally.ts";

/** Sessions of a caller. */
const SESSIONS = 2;
/**
 * A caller thinks for so long before it asks again. As a model does, it takes longer
 * than the server takes to replace the interpreter of its last run.
 */
const THINKING_MS = { least: 200, most: 400 };
/** Time after which a refused call is tried again. */
const RETRY_MS = 250;

/** The kinds of work of a caller. */
export const WORK = {
  fresh: { name: "a fresh run" },
  open: { name: "a new session" },
  session: { name: "a run in a session" },
  file: { name: "a file that is made and read" },
};

type Kind = typeof WORK[keyof typeof WORK];

/** A piece of work that was done. */
export interface Work {
  kind: string;
  ms: number;
}

/** A caller that does its work, and checks each answer. */
export class Honest {
  /** Handles, each with its secret and the count of its calls. */
  #sessions: { handle: string; secret: string; count: number }[] = [];
  /** Calls that were refused, and tried again. */
  refused = 0;

  constructor(
    private server: HttpServer,
    private token: string,
    private random: Random,
    private tally: Tally,
  ) {}

  /** Thinks, and does a piece of work. */
  async work(): Promise<Work> {
    const { least, most } = THINKING_MS;
    const think = least + this.random.next() * (most - least);
    await new Promise((resolve) => setTimeout(resolve, think));
    const started = performance.now();
    const kinds = [
      () => this.#callFresh(),
      () => this.#callSession(),
      () => this.#callSession(),
      () => this.#keepFile(),
    ];
    const { name } = await this.random.pick(kinds)?.() ?? WORK.fresh;
    return { kind: name, ms: performance.now() - started };
  }

  /** Ends all sessions of the token. */
  async endSessions(): Promise<void> {
    const listed = await this.#callTool("list_sessions", {});
    for (const [, session] of listed.matchAll(/"session":"([^"]+)"/g)) {
      await this.#callTool("end_session", { session });
    }
    this.#sessions = [];
  }

  async #callFresh(): Promise<Kind> {
    const nonce = crypto.randomUUID();
    const text = await this.#call(`"${nonce}"[::-1]`);
    const told = [...nonce].toReversed().join("");
    return this.#judge(WORK.fresh, text.includes(told), text);
  }

  async #callSession(): Promise<Kind> {
    const known = this.random.pick(this.#sessions);
    if (!known || this.#sessions.length < SESSIONS) {
      const secret = crypto.randomUUID();
      const code = `secret, count = "${secret}", 1\nsecret, count`;
      const text = await this.#call(code, { session: "new" });
      const [, handle = ""] = /"session":"([^"]+)"/.exec(text) ?? [];
      const isRight = handle !== "" && text.includes(secret);
      if (isRight) this.#sessions.push({ handle, secret, count: 1 });
      return this.#judge(WORK.open, isRight, text);
    }
    const { handle, secret } = known;
    const code = "count += 1\nsecret, count";
    const text = await this.#call(code, { session: handle });
    const isRight = text.includes(`["${secret}",${++known.count}]`);
    if (!isRight) {
      this.#sessions = this.#sessions.filter((one) => one !== known);
    }
    return this.#judge(WORK.session, isRight, text);
  }

  async #keepFile(): Promise<Kind> {
    const nonce = crypto.randomUUID();
    const code = `open("kept.txt", "w").write("${nonce}" * 5000)`;
    const text = await this.#call(code);
    const [, uri = ""] = /"uri":"([^"]+)"/.exec(text) ?? [];
    const read = await this.#send(postRequest("resources/read", uri, { uri }));
    const isRight = read.includes(nonce.repeat(5000));
    return this.#judge(WORK.file, isRight, text + read);
  }

  /** A session may be lost, if that is told. */
  #judge(kind: Kind, isRight: boolean, text: string): Kind {
    if (isRight) this.tally.count(kind, "right");
    else if (kind === WORK.session && text.includes("session-lost")) {
      this.tally.count(kind, "lost");
    } else this.tally.failed(kind, "", text.slice(0, 500));
    return kind;
  }

  #call(code: string, more: { session?: string } = {}): Promise<string> {
    if (!more.session) return this.#send(postCall(code));
    return this.#callTool("run_python_code", { "python_code": code, ...more });
  }

  #callTool(name: string, args: Record<string, unknown>): Promise<string> {
    return this.#send(
      postRequest("tools/call", name, { name, arguments: args }),
    );
  }

  /** Sends a request until it is not refused for want of room. */
  async #send(post: Post): Promise<string> {
    const authorization = `Bearer ${this.token}`;
    const sent = { ...post, headers: { ...post.headers, authorization } };
    while (true) {
      const response = await this.server.fetch(sent)
        .catch((error) => `${error} (${Object(error).cause})`);
      if (typeof response === "string") return response;
      const text = await response.text();
      const isBusy = [429, 503].includes(response.status) ||
        /"status":"busy"/.test(text);
      if (!isBusy) return text;
      this.refused++;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
