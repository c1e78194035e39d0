import { createInterface } from "node:readline";
import { PassThrough, Writable } from "node:stream";
import { writeAll } from "../../log.ts";
import { fields } from "../../protocol/fields.ts";
import type { History } from "./history.ts";
import { takeLastLine } from "./output.ts";
import type { SharedInput } from "./shared_input.ts";

/** The answer of a user at a prompt. */
export type Typed = { line: string } | "interrupted" | "ended";

/** Asks a user for one line after the other. */
export interface LineReader {
  ask(prompt: string): Promise<Typed>;
}

/** Lines that are edited on a terminal; the prompt goes to stderr. */
export class LineEditor implements LineReader {
  /** @param complete Completes the Python at the end of a text. */
  constructor(
    private input: SharedInput,
    private history: History,
    private complete: (text: string) => Promise<unknown>,
  ) {}

  async ask(prompt: string): Promise<Typed> {
    const keys = new PassThrough();
    const editor = createInterface({
      input: keys,
      output: openScreen(),
      terminal: true,
      history: [...this.history.lines],
      completer: (text: string, done: Completed) =>
        void this.#complete(text).then((found) => done(null, found)),
    });
    const { promise, resolve } = Promise.withResolvers<Typed>();
    editor.once("line", (line) => resolve({ line }));
    editor.once("SIGINT", () => resolve("interrupted"));
    editor.once("close", () => resolve("ended"));
    Deno.stdin.setRaw(true);
    try {
      editor.setPrompt(startOfLine() + prompt);
      editor.prompt();
      const typed = await Promise.race([promise, this.#feed(keys, promise)]);
      if (typeof typed === "object") this.history.add(typed.line);
      else writeError(typed === "ended" ? "\n" : "\nKeyboardInterrupt\n");
      return typed;
    } finally {
      Deno.stdin.setRaw(false);
      editor.close();
    }
  }

  /** Hands on typed text; of pasted text, a line at a time. */
  async #feed(keys: PassThrough, typed: Promise<Typed>): Promise<Typed> {
    while (true) {
      const bytes = await this.input.take();
      if (bytes === null) return "ended";
      keys.write(bytes);
      if (bytes.at(-1) === 10) return await typed;
    }
  }

  async #complete(text: string): Promise<[string[], string]> {
    if (text.trim() === "") return [[`${text}    `], text];
    const { word, matches } = fields(await this.complete(text));
    if (typeof word !== "string" || !Array.isArray(matches)) return [[], ""];
    // The code can have any names.
    return [matches.map(String).filter((match) => !/\p{C}/u.test(match)), word];
  }
}

type Completed = (error: null, found: [string[], string]) => void;

/** Lines of a pipe; no prompt is shown. */
export class PipeReader implements LineReader {
  constructor(private input: SharedInput) {}

  async ask(): Promise<Typed> {
    const decoder = new TextDecoder();
    let line = "";
    for (let bytes; (bytes = await this.input.take()) !== null;) {
      line += decoder.decode(bytes, { stream: true });
      if (line.endsWith("\n")) return { line: line.replace(/\r?\n$/, "") };
    }
    return line === "" ? "ended" : { line };
  }
}

function openScreen(): Writable {
  const screen = new Writable({
    write(bytes, _encoding, done) {
      writeAll(Deno.stderr, bytes);
      done();
    },
  });
  return Object.assign(screen, { columns: Deno.consoleSize().columns });
}

/**
 * The text before a prompt, which the editor draws again: code may have left a
 * line without its end.
 */
function startOfLine(): string {
  const line = takeLastLine();
  // Colours end, and the cursor is seen.
  writeError("\x1b[m\x1b[?25h");
  if (line.length < 40 && !/\p{C}/u.test(line)) return line;
  writeError("\n");
  return "";
}

function writeError(text: string): void {
  writeAll(Deno.stderr, new TextEncoder().encode(text));
}
