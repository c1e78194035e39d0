import { CLI, withConstants } from "../../support/command.ts";
import { type HttpServer, serveBy } from "../../support/http_server.ts";
import { descendants } from "../../support/processes.ts";
import { type Held, lookAt } from "../soak/usage.ts";

/** A server of the fleet, which is started again and again. */
export interface Member {
  name: string;
  /** Undefined while it is not there. */
  server: HttpServer | undefined;
  /** What it held at each look, since its last start. */
  held: Held[];
}

/** Where a disturbance was noted, and when calls were right again. */
export interface Watch {
  member: Member;
  /** By `performance.now()`. */
  since: number;
  served: PromiseWithResolvers<number>;
}

/** Servers that share a store. */
export class Fleet {
  readonly members: Member[];
  /** Of all starts: the member, and what it held. */
  readonly terms: { name: string; held: Held[] }[] = [];
  /** All processes that there ever were. */
  readonly #family = new Set<number>();
  #watches = new Set<Watch>();
  #logs: Promise<string>[] = [];

  constructor(
    names: readonly string[],
    private args: string[],
    private env: Record<string, string> = {},
  ) {
    this.members = names.map((name) => ({ name, server: undefined, held: [] }));
  }

  /** Those that serve, or at least have processes. */
  get up(): (Member & { server: HttpServer })[] {
    return this.members.filter(isUp);
  }

  async start(member: Member): Promise<void> {
    const server = await serveBy(Deno.execPath(), {
      args: withConstants([
        ...["run", "-A", CLI, ...this.args, "--port", "0"],
        "streamable-http",
      ]),
      env: { NO_COLOR: "1", ...this.env },
    });
    const { name } = member;
    this.#logs.push(
      server.ended.then(({ stderr, code }) =>
        `--- ${name}, process ${server.pid}, code ${code}\n${stderr}`
      ),
    );
    member.held = [];
    this.terms.push({ name, held: member.held });
    member.server = server;
  }

  /** Notes what all servers hold, and their processes. */
  look(): void {
    for (const { server, held } of this.up) {
      held.push(lookAt(server.pid));
      this.family(server);
    }
  }

  /** The processes of a server, now. */
  family({ pid }: Pick<HttpServer, "pid">): number[] {
    const family = [pid, ...descendants(pid)];
    for (const one of family) this.#family.add(one);
    return family;
  }

  get processes(): number[] {
    return [...this.#family];
  }

  /** Notes that a call that began then was answered right. */
  served(name: string, begun: number): void {
    for (const watch of this.#watches) {
      if (watch.member.name !== name || begun < watch.since) continue;
      watch.served.resolve(performance.now() - watch.since);
      this.#watches.delete(watch);
    }
  }

  /** Waits for the first right answer of a call that begins from now on. */
  watch(member: Member): Watch {
    const served = Promise.withResolvers<number>();
    const watch = { member, since: performance.now(), served };
    this.#watches.add(watch);
    return watch;
  }

  /** Ends all servers as SIGTERM does; gives the codes of their ends. */
  async end(): Promise<number[]> {
    this.look();
    const all = this.up.map(({ server }) => server);
    for (const { pid } of all) Deno.kill(pid, "SIGTERM");
    return await Promise.all(all.map(async ({ ended }) => (await ended).code));
  }

  /** The logs of all servers that have ended. */
  async logs(): Promise<string> {
    return (await Promise.all(this.#logs)).join("\n");
  }
}

function isUp(member: Member): member is Member & { server: HttpServer } {
  return member.server !== undefined;
}
