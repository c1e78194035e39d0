import { escapeControls } from "../log.ts";
import type { LogLevel, Settings } from "../settings.ts";

/** The facts of a line, by name; those that are undefined are left out. */
export type Facts = Record<
  string,
  string | number | readonly string[] | undefined
>;

/** From the most to the least severe. */
const LEVELS: readonly LogLevel[] = ["error", "warning", "info", "debug"];
const encoder = new TextEncoder();

/** Logs of a process: a line for each event, in text or as JSON. */
export class Log {
  constructor(
    private terms: Pick<Settings, "logLevel" | "logFormat">,
    private writeLine: (line: Uint8Array<ArrayBuffer>) => void,
  ) {}

  /** Whether events of this level are wanted. */
  takes(level: LogLevel): boolean {
    return isLogged(level, this.terms.logLevel);
  }

  write(level: LogLevel, event: string, facts: Facts): void {
    if (!this.takes(level)) return;
    const time = new Date().toISOString();
    const named = withoutEvent(facts);
    const line = this.terms.logFormat === "json"
      ? JSON.stringify({ time, level, event, ...named })
      : [time, level, event, ...toPairs(named)].join(" ");
    this.writeLine(encoder.encode(escapeControls(line)));
  }
}

/** A line has one event, and no fact takes its place: a fact of that name is its action. */
function withoutEvent({ event: action, time: _, level: __, ...facts }: Facts) {
  return action === undefined ? facts : { action, ...facts };
}

/** Whether events of a level are logged, if `least` is the least severe level. */
export function isLogged(level: LogLevel, least: LogLevel): boolean {
  return LEVELS.indexOf(level) <= LEVELS.indexOf(least);
}

function toPairs(facts: Facts): string[] {
  return Object.entries(facts).map(([name, value]) => [name, `${value ?? ""}`])
    .filter(([, text]) => text !== "")
    .map(([name, text = ""]) => `${name}=${toWord(text)}`);
}

/** A word has neither spaces, quotes nor "=": so a text cannot pass for more pairs. */
function toWord(text: string): string {
  return /^[\w.,:;/@+*[\]-]+$/.test(text) ? text : JSON.stringify(text);
}
