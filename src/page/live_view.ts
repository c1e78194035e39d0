/// <reference lib="dom" />
import type { RunStatus, ServerStatus } from "../protocol/server_status.ts";
import type { Access } from "./access.ts";
import { element, find, formatTime, note, table } from "./elements.ts";

const POLL_MS = 1000;
const SLOW_MS = 10_000;

/** The figures of the server, while a person looks at them. */
export class LiveView {
  #view = find("live", HTMLElement);
  #cards = find("live-cards", HTMLElement);
  #note = find("live-note", HTMLElement);
  #server = find("server", HTMLElement);
  #timer?: ReturnType<typeof setTimeout>;
  #polls = 0;

  constructor(private access: Access) {
    addEventListener("visibilitychange", () => void this.poll());
  }

  /** Asks for the figures now, and from time to time; a hidden page does not. */
  async poll(): Promise<void> {
    clearTimeout(this.#timer);
    if (document.hidden) return;
    const poll = ++this.#polls;
    try {
      const response = await this.access.fetch("status");
      this.#show(await response.json());
      this.#note.textContent = "";
    } catch (error) {
      this.#server.textContent = "not connected";
      this.#note.textContent = `No figures: ${Object(error).message}`;
    }
    // Another poll may have begun meanwhile.
    if (poll !== this.#polls) return;
    const wait = this.#view.hidden ? SLOW_MS : POLL_MS;
    this.#timer = setTimeout(() => void this.poll(), wait);
  }

  #show(status: ServerStatus): void {
    const { python = "", version, unready } = status;
    this.#server.textContent = unready?.reason ??
      `Python ${python} · mcp-run-python ${version}`;
    if (!this.#view.hidden) this.#cards.replaceChildren(...toCards(status));
  }
}

function toCards(status: ServerStatus): HTMLElement[] {
  const { pool, sessions, limits, grants } = status;
  const { maxConcurrency = 0, maxSessions = 0, pool: size = 0 } = limits;
  const now = Date.parse(status.now);
  const upMs = Math.round((now - Date.parse(status.started)) / 1000) * 1000;
  return [
    card(
      "Runs",
      figure(pool.busy, `of ${maxConcurrency} at a time`),
      meter(pool.busy, maxConcurrency, "Runs"),
      facts([
        ["Waiting", `${pool.waiting} of ${limits.maxQueue}`],
        ["Of other callers", status.othersUnderWay],
        ...Object.entries(status.runs)
          .map(([name, count]) => [`Ended: ${toWords(name)}`, count]),
      ]),
    ),
    card(
      "Pool",
      figure(pool.ready, "interpreters ready"),
      meter(pool.ready, Math.max(size, pool.ready), "Ready"),
      facts([
        ["Preparing", pool.preparing],
        ["Running", pool.busy],
        ["Kept by sessions", pool.kept],
      ]),
    ),
    card(
      "Sessions",
      figure(sessions.awake, `of ${maxSessions} in memory`),
      meter(sessions.awake, maxSessions, "Sessions"),
      facts([
        ["Memory", `${sessions.memoryMiB} of ${limits.maxSessionsMiB} MiB`],
        ["Saved", sessions.saved],
        ["Lost", sessions.lost],
        ["MCP sessions", status.mcpSessions],
      ]),
    ),
    card(
      "Server",
      figure(formatTime(upMs), "up"),
      facts([
        ["Version", status.version],
        ["Python", status.python ?? "not installed yet"],
        ["Memory of the server", `${status.serverMiB} MiB`],
        ["Memory of a run", `at most ${limits.memoryMiB} MiB`],
        ["Time of a run", `${limits.timeoutSeconds} s`],
        ["Longest time", `${limits.maxTimeoutSeconds} s`],
      ]),
    ),
    card(
      "Granted to code",
      facts([
        ["Network", listed(grants.hosts)],
        ["Folders", listed(grants.mounts.map(toFolder))],
        ["Variables", listed(grants.variables)],
        ["Installs", listed(grants.installs)],
      ]),
    ),
    card(
      "Packages",
      facts([
        ["Standard library", "always"],
        ...status.packages.map(({ name, version }) => [name, version]),
      ]),
    ),
    runsCard("Your runs under way", status.underWay, now),
    runsCard("Your last runs", status.ended, now),
  ];
}

function runsCard(
  title: string,
  runs: readonly RunStatus[],
  now: number,
): HTMLElement {
  const rows = runs.map((run) => [
    new Date(run.started).toLocaleTimeString(),
    toWords(run.status ?? "running"),
    formatTime(run.wallMs ?? now - Date.parse(run.started)),
    run.client,
    run.session?.slice(0, 8) ?? "",
    run.memoryMiB === undefined ? "" : `${run.memoryMiB} MiB`,
  ]);
  const headings = ["Started", "Status", "Time", "Client", "Session", "Memory"];
  const shown = rows.length > 0
    ? table(headings, rows)
    : note("None.", "quiet");
  const made = card(title, shown);
  made.classList.add("wide");
  return made;
}

function card(title: string, ...children: HTMLElement[]): HTMLElement {
  const heading = element("h2", {}, title);
  return element("section", { className: "card" }, heading, ...children);
}

function figure(value: string | number, unit: string): HTMLElement {
  const small = element("small", {}, ` ${unit}`);
  return element("p", { className: "figure" }, `${value}`, small);
}

function meter(value: number, max: number, label: string): HTMLElement {
  return element("meter", { max: Math.max(max, 1), value, ariaLabel: label });
}

function facts(rows: readonly (readonly unknown[])[]): HTMLElement {
  const cells = rows.flatMap(([name, value]) => [
    element("dt", {}, String(name)),
    element("dd", {}, String(value)),
  ]);
  return element("dl", { className: "facts" }, ...cells);
}

function toFolder(
  { guest, isWritable }: ServerStatus["grants"]["mounts"][number],
): string {
  return isWritable ? `${guest} (writable)` : guest;
}

function listed(names: readonly string[]): string {
  return names.join(", ") || "none";
}

function toWords(status: string): string {
  return status.replaceAll("-", " ");
}
