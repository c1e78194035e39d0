import type { Log } from "../../protocol/log_lines.ts";
import { nearestNames } from "../../catalog/nearest.ts";

/** The patterns of `--allow-tool`; a `!` stands before those of denied tools. */
export interface ToolPatterns {
  allowTool: readonly string[];
}

/** The tools of a server, as far as they are known. */
export type KnownTools = (
  server: string,
) => readonly { name: string }[] | undefined;

/**
 * The tools that code may call, by the user's patterns over `server.tool`: all if
 * none is allowed by name, and never a denied one.
 */
export class ToolRules {
  /** The options that have matched nothing yet, by their patterns. */
  #unmatched: Map<string, string>;
  #allowed: string[];
  #denied: string[];

  constructor(
    { allowTool }: ToolPatterns,
    private log: Pick<Log, "write"> = { write() {} },
  ) {
    const isDenial = (one: string) => one.startsWith("!");
    this.#allowed = allowTool.filter((one) => !isDenial(one));
    this.#denied = allowTool.filter(isDenial).map((one) => one.slice(1));
    this.#unmatched = new Map([
      ...this.#allowed.map((one) => [one, "--allow-tool"] as const),
      ...this.#denied.map((one) => [one, "--allow-tool !"] as const),
    ]);
  }

  mayCall(server: string, tool: string): boolean {
    return this.maybeDenial(server, tool) === undefined;
  }

  /** The options that deny a tool, in words; undefined if code may call it. */
  maybeDenial(server: string, tool: string): string | undefined {
    const name = `${server}.${tool}`;
    const denied = this.#denied.find((pattern) => matches(pattern, name));
    if (denied !== undefined) return `--allow-tool !${denied} denies it`;
    const isAllowed = this.#allowed.length === 0 ||
      this.#allowed.some((pattern) => matches(pattern, name));
    return isAllowed
      ? undefined
      : `--allow-tool allows ${this.#allowed.join(", ")} only`;
  }

  /**
   * Logs each pattern once that can match nothing: no server has such a name, or
   * the tools of all servers that it could mean are known.
   */
  note(servers: readonly string[], known: KnownTools): void {
    for (const [pattern, option] of this.#unmatched) {
      const meant = servers.filter((server) => mayMean(pattern, server));
      const lists = meant.map((server) =>
        known(server)?.map(({ name }) => `${server}.${name}`)
      );
      const names = lists.flatMap((list) => list ?? []);
      const isMatched = names.some((name) => matches(pattern, name));
      if (isMatched) this.#unmatched.delete(pattern);
      if (isMatched || lists.includes(undefined)) continue;
      this.#unmatched.delete(pattern);
      const [server = ""] = pattern.split(".", 1);
      const near = meant.length > 0
        ? nearestNames(pattern, names)
        : nearestNames(server, servers);
      this.log.write("warning", "tool-pattern", {
        option,
        pattern,
        reason: meant.length > 0
          ? "it matches no tool"
          : "it matches no server that is configured",
        ...(near.length > 0 ? { nearest: near } : {}),
      });
    }
  }
}

/** Whether a pattern matches a whole text; `*` is any text. */
export function matches(pattern: string, text: string): boolean {
  // The last star, and the place in the text up to which it reaches: an earlier
  // star need not be tried again, so the cost is at most pattern times text.
  let star = -1;
  let reach = 0;
  let at = 0;
  let next = 0;
  while (next < text.length) {
    if (pattern[at] === "*") {
      star = at++;
      reach = next;
    } else if (pattern[at] === text[next]) {
      at++;
      next++;
    } else if (star >= 0) {
      at = star + 1;
      next = ++reach;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}

/** Whether a pattern could match a tool of a server, by the text before its star. */
function mayMean(pattern: string, server: string): boolean {
  const [start = ""] = pattern.split("*", 1);
  const name = `${server}.`;
  return name.startsWith(start) || start.startsWith(name);
}
