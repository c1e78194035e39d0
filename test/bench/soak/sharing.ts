import { Worker } from "node:worker_threads";
import { processesNamed } from "../../support/processes.ts";
import { type HttpServer, startHttp } from "../../support/http_server.ts";
import { type Post, postCall, postRequest } from "../../support/mcp_post.ts";
import { percentile } from "../statistics.ts";
import { Random } from "./random.ts";

/** Callers that do their work, beside one that takes all that it can. */
const HONEST = ["ada", "bob", "eve"];
const GREEDY = "greedy";
/** Sessions of each honest caller. */
const SESSIONS = 2;
/** An honest caller thinks for so long, at most, before it asks again. */
const MOST_THINKING_MS = 2000;

export interface SharingOptions {
  /** Calls of each honest caller, without the greedy caller and with it. */
  calls: number;
  seed: number;
  /** The only attack, by name; all by default. */
  only?: string;
}

/** What became of a soak. */
export interface Shared {
  /** Milliseconds of each kind of work, by phase. */
  times: Record<"alone" | "beside", number[]>;
  wrong: string[];
  /** Sessions whose loss was told. */
  lost: number;
  /** Refusals that the honest callers met, and tried again. */
  refused: number;
  /** Attacks that were made, by name. */
  attacks: Map<string, number>;
  /** Processes that are left once the server has ended. */
  left: number[];
  /** Most that the server's process held, in bytes. */
  resident: number;
}

/** Has honest callers work without, and then beside, a greedy caller. */
export async function soakSharing(
  { calls, seed, only }: SharingOptions,
): Promise<Shared> {
  const store = await Deno.makeTempDir();
  const tokens = new Map(
    [...HONEST, GREEDY].map((name) => [name, crypto.randomUUID()]),
  );
  const named = [...tokens].map(([name, token]) => `${name}:${token}`);
  const server = await startHttp([
    ...["--session-store", store, "--memory", "256"],
    ...["--max-concurrency", "2", "--max-sessions-memory", "2048"],
    ...["+maxHttpConnections=200", "--session-idle", "20", "+pool=4"],
  ], { env: { MCP_RUN_PYTHON_TOKEN: named.join() } });
  const shared: Shared = {
    times: { alone: [], beside: [] },
    ...{ wrong: [], lost: 0, refused: 0, left: [], resident: 0 },
    attacks: new Map(),
  };
  const tokenOf = (name: string) => tokens.get(name) ?? "";
  const honest = HONEST.map((name, at) =>
    new Honest(server, tokenOf(name), new Random(seed + at), shared)
  );
  const work = async (phase: "alone" | "beside") => {
    await Promise.all(honest.map(async (caller) => {
      for (let count = 0; count < calls; count++) {
        shared.times[phase].push(await caller.work());
      }
    }));
  };
  await work("alone");
  const attacker = startAttacker({
    ...{ url: server.url.href, token: tokenOf(GREEDY), seed, only },
    onAttack: (name) =>
      shared.attacks.set(name, (shared.attacks.get(name) ?? 0) + 1),
  });
  const resident = setInterval(() => {
    for (const pid of processesNamed("server", server.pid)) {
      const status = Deno.readTextFileSync(`/proc/${pid}/statm`).split(" ");
      shared.resident = Math.max(shared.resident, Number(status[1]) * 4096);
    }
  }, 1000);
  await work("beside");
  clearInterval(resident);
  await attacker.terminate();
  const names = ["server", "sandbox", "keeper"];
  const processes = names.flatMap((name) => processesNamed(name, server.pid));
  await server[Symbol.asyncDispose]();
  shared.left = processes.filter((pid) => isThere(pid));
  await Deno.remove(store, { recursive: true });
  return shared;
}

/** The times of honest callers, and what the greedy one did. */
export function sharingReport(
  { times, lost, refused, attacks, resident }: Shared,
): string {
  const told = Object.entries(times).map(([phase, all]) => {
    const [p50, p95, p99] = [0.5, 0.95, 0.99]
      .map((share) => Math.round(percentile(all, share)));
    return `${phase}: ${all.length} calls, median ${p50} ms, p95 ${p95} ms, p99 ${p99} ms`;
  });
  const made = [...attacks].map(([name, count]) => `${count} times ${name}`);
  return [
    "over HTTP, three callers alone, and beside a greedy one",
    ...told,
    `${lost} sessions lost and told; ${refused} calls refused and tried again`,
    `server: at most ${Math.round(resident / 2 ** 20)} MiB`,
    `attacks: ${made.join(", ")}`,
  ].join("\n");
}

/** What is not as it should be; nothing if all is well. */
export function sharingComplaints(
  { times, wrong, left }: Shared,
  most = 2,
): string[] {
  const [alone, beside] = [times.alone, times.beside]
    .map((all) => percentile(all, 0.95));
  const ratio = (beside ?? 0) / (alone ?? 1);
  return [
    ...wrong.map((text) => `wrong: ${text}`),
    ...left.map((pid) => `process ${pid} is left`),
    ...(ratio > most
      ? [
        `p95 beside a greedy caller is ${
          ratio.toFixed(2)
        }x, and may be ${most}x`,
      ]
      : []),
  ];
}

/** Attacks go on in a thread of their own: they hold up no honest caller here. */
function startAttacker(
  { onAttack, ...order }: {
    url: string;
    token: string;
    seed: number;
    only: string | undefined;
    onAttack(name: string): void;
  },
): Worker {
  const url = new URL("attacks.ts", import.meta.url);
  const worker = new Worker(url);
  worker.on("message", onAttack);
  worker.postMessage(order);
  return worker;
}

function isThere(pid: number): boolean {
  try {
    Deno.statSync(`/proc/${pid}`);
    return true;
  } catch {
    return false;
  }
}

function by(post: Post, token: string): Post {
  const authorization = `Bearer ${token}`;
  return { ...post, headers: { ...post.headers, authorization } };
}

/** A caller that does its work, and checks each answer. */
class Honest {
  /** Handles, each with its secret and the count of its calls. */
  #sessions: { handle: string; secret: string; count: number }[] = [];

  constructor(
    private server: HttpServer,
    private token: string,
    private random: Random,
    private shared: Shared,
  ) {}

  /** Does a piece of work; gives its time in milliseconds. */
  async work(): Promise<number> {
    const think = this.random.next() * MOST_THINKING_MS;
    await new Promise((resolve) => setTimeout(resolve, think));
    const started = performance.now();
    const kinds = [
      () => this.#callFresh(),
      () => this.#callSession(),
      () => this.#callSession(),
      () => this.#keepFile(),
    ];
    await this.random.pick(kinds)?.();
    return performance.now() - started;
  }

  async #callFresh(): Promise<void> {
    const nonce = crypto.randomUUID();
    const text = await this.#call(`"${nonce}"[::-1]`);
    const told = [...nonce].toReversed().join("");
    if (!text.includes(told)) this.#fail("a fresh run", text);
  }

  async #callSession(): Promise<void> {
    const known = this.random.pick(this.#sessions);
    if (!known || this.#sessions.length < SESSIONS) {
      const secret = crypto.randomUUID();
      const code = `secret, count = "${secret}", 1\nsecret, count`;
      const text = await this.#call(code, { session: "new" });
      const [, handle] = /"session":"([^"]+)"/.exec(text) ?? [];
      if (!handle || !text.includes(secret)) {
        return this.#fail("a new session", text);
      }
      return void this.#sessions.push({ handle, secret, count: 1 });
    }
    const { handle, secret } = known;
    const code = "count += 1\nsecret, count";
    const text = await this.#call(code, { session: handle });
    if (text.includes(`["${secret}",${++known.count}]`)) return;
    this.#sessions = this.#sessions.filter((one) => one !== known);
    if (text.includes("session-lost")) this.shared.lost++;
    else this.#fail("a session", text);
  }

  async #keepFile(): Promise<void> {
    const nonce = crypto.randomUUID();
    const code = `open("kept.txt", "w").write("${nonce}" * 5000)`;
    const text = await this.#call(code);
    const [, uri = ""] = /"uri":"([^"]+)"/.exec(text) ?? [];
    const read = await this.#send(postRequest("resources/read", uri, { uri }));
    if (!read.includes(nonce.repeat(5000))) this.#fail("a file", text + read);
  }

  #call(code: string, more: { session?: string } = {}): Promise<string> {
    if (!more.session) return this.#send(postCall(code));
    const name = "run_python_code";
    const args = { "python_code": code, ...more };
    return this.#send(
      postRequest("tools/call", name, { name, arguments: args }),
    );
  }

  /** Sends a request until it is not refused for want of room. */
  async #send(post: Post): Promise<string> {
    while (true) {
      const sent = by(post, this.token);
      const response = await this.server.fetch(sent).catch(String);
      if (typeof response === "string") return response;
      const text = await response.text();
      const isBusy = [429, 503].includes(response.status) ||
        /"status":"busy"/.test(text);
      if (!isBusy) return text;
      this.shared.refused++;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }

  #fail(what: string, text: string): void {
    this.shared.wrong.push(`${what}: ${text.slice(0, 500)}`);
  }
}
