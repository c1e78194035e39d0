import type { Fleet } from "./fleet.ts";

/** Time between two looks whether a server has read the file. */
const LOOK_MS = 100;
/** Longer than a server takes to read the file; a hang is longer. */
const READ_WITHIN_MS = 60_000;

/** The tokens of the callers, in a file that the servers read again at SIGHUP. */
export class Tokens {
  #tokens: Map<string, string>;

  constructor(owners: readonly string[], readonly file: string) {
    this.#tokens = make(owners);
  }

  /** The token of a caller, now. */
  of(owner: string): string {
    return this.#tokens.get(owner) ?? "";
  }

  /** Writes the file; with more tokens of the same callers, they have two. */
  async write(more: Iterable<[string, string]> = []): Promise<void> {
    const lines = [...this.#tokens, ...more]
      .map(([owner, token]) => `${owner} ${token}\n`);
    await Deno.writeTextFile(this.file, lines.join(""), { mode: 0o600 });
  }

  /** Gives all callers new tokens, and takes the old ones back once none uses them. */
  async rotate(fleet: Fleet): Promise<void> {
    const before = this.#tokens;
    const after = make([...before.keys()]);
    await this.write(after);
    await this.#reload(fleet, after, 200);
    this.#tokens = after;
    await this.write();
    await this.#reload(fleet, before, 401);
  }

  /** Waits until all servers answer requests with these tokens so. */
  async #reload(
    fleet: Fleet,
    [[, token] = ["", ""]]: Map<string, string>,
    status: number,
  ): Promise<void> {
    const headers = { authorization: `Bearer ${token}` };
    const until = performance.now() + READ_WITHIN_MS;
    await Promise.all(fleet.up.map(async ({ name, server }) => {
      Deno.kill(server.pid, "SIGHUP");
      for (;;) {
        const answer = await server.fetch({ headers }, "/metrics");
        await answer.body?.cancel();
        if (answer.status === status) return;
        if (performance.now() > until) {
          throw new Error(`${name} has not read the tokens: ${answer.status}`);
        }
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    }));
  }
}

function make(owners: readonly string[]): Map<string, string> {
  return new Map(owners.map((owner) => [owner, crypto.randomUUID()]));
}
