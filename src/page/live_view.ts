/// <reference lib="dom" />
import type { RunStatus, ServerStatus } from "../protocol/server_status.ts";
import type { Access } from "./access.ts";
import { element, find, formatTime, table } from "./elements.ts";

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
  const { sessions, limits, grants, mcpSessions, serverMiB } = status;
  const { memoryMiB: processMemoryMiB, ...pool } = status.pool;
  const { maxConcurrency = 0, maxSessions = 0, pool: size = 0 } = limits;
  const now = Date.parse(status.now);
  const upMs = Math.round((now - Date.parse(status.started)) / 1000) * 1000;
  const folders = grants.mounts.map(({ guest, isWritable }) =>
    isWritable ? `${guest} (writable)` : guest
  );
  const packages = Object.fromEntries(
    status.packages.map(({ name, version }) => [name, version]),
  );
  return [
    card(
      "Runs",
      ...gauge(pool.busy, maxConcurrency, `of ${maxConcurrency} at a time`),
      facts({
        waiting: pool.waiting,
        ofOtherCallers: status.othersUnderWay,
        ...status.runs,
      }),
    ),
    card(
      "Pool",
      ...gauge(pool.ready, Math.max(size, pool.ready), "interpreters ready"),
      facts({ ...pool, processMemoryMiB }),
    ),
    card(
      "Sessions",
      ...gauge(sessions.awake, maxSessions, `of ${maxSessions} in memory`),
      facts({ ...sessions, mcpSessions }),
    ),
    card(
      "Server",
      facts({
        version: status.version,
        python: status.python ?? "not installed yet",
        up: formatTime(upMs),
        memoryMiB: serverMiB,
      }),
    ),
    card("Granted to code", facts({ ...grants, mounts: folders })),
    card("Limits", facts(limits)),
    card("Packages", facts({ Python: "its standard library", ...packages })),
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
    run.sessionName ?? "",
    run.memoryMiB === undefined ? "" : `${run.memoryMiB} MiB`,
  ]);
  const headings = ["Started", "Status", "Time", "Client", "Session", "Memory"];
  const made = card(title, table(headings, rows));
  made.classList.add("wide");
  return made;
}

function card(title: string, ...children: HTMLElement[]): HTMLElement {
  const heading = element("h2", {}, title);
  return element("section", { className: "card" }, heading, ...children);
}

function gauge(value: number, most: number, unit: string): HTMLElement[] {
  const small = element("small", {}, ` ${unit}`);
  const max = Math.max(most, 1);
  return [
    element("p", { className: "figure" }, String(value), small),
    element("meter", { max, value, ariaLabel: unit }),
  ];
}

function facts(values: Record<string, unknown>): HTMLElement {
  const cells = Object.entries(values).flatMap(([name, value]) => [
    element("dt", {}, toWords(name)),
    element("dd", {}, [value].flat().join(", ") || "none"),
  ]);
  return element("dl", { className: "facts" }, ...cells);
}

function toWords(name: string): string {
  return name.replaceAll(/-|(?=[A-Z])/g, " ").toLowerCase()
    .replace("mi b", "MiB").replace("mcp", "MCP");
}
