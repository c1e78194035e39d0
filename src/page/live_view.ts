/// <reference lib="dom" />
import type { RunStatus, ServerStatus } from "../protocol/server_status.ts";
import type { Access } from "./access.ts";
import { element, find, formatTime, note, table } from "./elements.ts";

const POLL_MS = 1000;
const SLOW_MS = 10_000;

/** The figures of the server, while a person looks at them. */
export class LiveView {
  #cards = find("live-cards", HTMLElement);
  #note = find("live-note", HTMLElement);
  #server = find("server", HTMLElement);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isShown = false;

  constructor(private access: Access) {}

  set isShown(isShown: boolean) {
    const isNew = isShown && !this.#isShown;
    this.#isShown = isShown;
    if (isNew) this.#pollNow();
  }

  open(): void {
    addEventListener("visibilitychange", () => this.#pollNow());
    this.#pollNow();
  }

  #pollNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // A hidden page asks for nothing.
    if (!document.hidden) this.#timer = setTimeout(() => void this.#poll());
  }

  async #poll(): Promise<void> {
    const timer = this.#timer;
    try {
      const response = await this.access.fetch("status");
      this.#show(await response.json());
      this.#note.textContent = "";
    } catch (error) {
      this.#server.textContent = "not connected";
      this.#note.textContent = `No figures: ${Object(error).message}`;
    }
    // Another poll may have begun meanwhile.
    if (timer !== this.#timer || document.hidden) return;
    const wait = this.#isShown ? POLL_MS : SLOW_MS;
    this.#timer = setTimeout(() => void this.#poll(), wait);
  }

  #show(status: ServerStatus): void {
    const { python, version, unready } = status;
    const running = `Python ${python ?? ""} · mcp-run-python ${version}`;
    this.#server.textContent = unready?.reason ?? running;
    if (this.#isShown) this.#cards.replaceChildren(...toCards(status));
  }
}

function toCards(status: ServerStatus): HTMLElement[] {
  const { pool, sessions, limits, grants } = status;
  const now = Date.parse(status.now);
  const upMs = Math.round((now - Date.parse(status.started)) / 1000) * 1000;
  const most = (name: string) => limits[name] ?? 0;
  const folders = grants.mounts
    .map(({ guest, isWritable }) =>
      `${guest}${isWritable ? " (writable)" : ""}`
    );
  const packages = status.packages.map(({ name, version }) => [name, version]);
  return [
    card(
      "Runs",
      figure(pool.busy, `of ${most("maxConcurrency")} at a time`),
      meter(pool.busy, most("maxConcurrency"), "Runs"),
      facts([
        ["Waiting", `${pool.waiting} of ${most("maxQueue")}`],
        ["Of other callers", status.othersUnderWay],
        ...Object.entries(status.runs)
          .map(([name, count]) => [`Ended: ${toWords(name)}`, count]),
      ]),
    ),
    card(
      "Pool",
      figure(pool.ready, "interpreters ready"),
      meter(pool.ready, Math.max(most("pool"), pool.ready), "Ready"),
      facts([
        ["Preparing", pool.preparing],
        ["Running", pool.busy],
        ["Kept by sessions", pool.kept],
      ]),
    ),
    card(
      "Sessions",
      figure(sessions.awake, `of ${most("maxSessions")} in memory`),
      meter(sessions.awake, most("maxSessions"), "Sessions"),
      facts([
        ["Memory", `${sessions.memoryMiB} of ${most("maxSessionsMiB")} MiB`],
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
        ["Memory of a run", `at most ${most("memoryMiB")} MiB`],
        [
          "Time of a run",
          `${most("timeoutSeconds")} s, at most ${most("maxTimeoutSeconds")} s`,
        ],
      ]),
    ),
    card(
      "Granted to code",
      facts([
        ["Network", listed(grants.hosts)],
        ["Folders", listed(folders)],
        ["Variables", listed(grants.variables)],
        ["Installs", listed(grants.installs)],
      ]),
    ),
    card(
      "Packages",
      facts(packages.length > 0 ? packages : [["Standard library", "only"]]),
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
  const made = card(
    title,
    rows.length > 0 ? table(headings, rows) : note("None.", "quiet"),
  );
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

function listed(names: readonly string[]): string {
  return names.length > 0 ? names.join(", ") : "none";
}

function toWords(status: string): string {
  return status.replaceAll("-", " ");
}
