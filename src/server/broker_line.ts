import { isOverWithin } from "../deadline.ts";
import { detailsOf, EXIT } from "../errors.ts";
import { log } from "../log.ts";
import {
  BROKER_LINE,
  CLIENT_WINDOW,
  LINE_COST,
  SERVER_LINE,
  WAITING_ANSWERS,
} from "../protocol/bounds.ts";
import {
  type Channel,
  type Ended,
  type Parse,
  parsePacket,
  Queue,
} from "../protocol/channel.ts";
import type { ListedServer } from "../protocol/downstream.ts";
import {
  decodeFrame,
  encodeForward,
  encodeFrame,
  type Frame,
  isFrame,
  packetStart,
  TO_SERVER,
  type ToServer,
} from "../protocol/frames.ts";
import { type AnyBody, HeldBody, readHeld } from "../protocol/held_body.ts";
import { Log } from "../protocol/log_lines.ts";
import {
  decodePacket,
  type Packet,
  readPackets,
  sizeOf,
} from "../protocol/packets.ts";
import type { ProgressStep } from "../protocol/run_messages.ts";
import { type Answered, Requests } from "../protocol/requests.ts";
import type {
  InstallAnswer,
  Listening,
  Reloaded,
  ServerSettings,
} from "../protocol/server_settings.ts";
import { readStdin, writeStdout } from "../protocol/standard_streams.ts";
import { Receipts, Window } from "../protocol/window.ts";

/** Time to tell the client of a fault of ours. */
const LAST_WORDS_MS = 1000;
const AUDITED = { logLevel: "info", logFormat: "json" } as const;
const SILENT = { logLevel: "error", logFormat: "text" } as const;
const encoder = new TextEncoder();
const BOUNDS = { line: BROKER_LINE, body: BROKER_LINE };

/** A line of the client, the length of a line that is too long, or the end. */
export type FromClient = Uint8Array<ArrayBuffer> | { tooLong: number } | null;

/** The part of the line that MCP needs. */
export type ClientSide = Pick<
  BrokerLine,
  | "nextFromClient"
  | "sendToClient"
  | "noteFault"
  | "onFault"
  | "onShutdown"
  | "spawn"
  | "log"
  | "audit"
>;

/** The server's end of the line to the broker, and through it to the client. */
export class BrokerLine {
  /** The launcher's decisions; they arrive first. */
  readonly settings: Promise<ServerSettings>;
  /** Resolves once the client, or the launcher, wants no more. */
  readonly eof: Promise<void>;
  /** Called at once when the server ends by a fault of ours, to log what is open. */
  noteFault: () => void = () => {};
  /** Called when the server ends by a fault of ours, before it ends. */
  onFault: () => Promise<void> = () => Promise.resolve();

  /** Called at the end, with {@linkcode shutdownMs} to save sessions. */
  onShutdown: () => Promise<void> = () => Promise.resolve();
  shutdownMs = 0;
  /** Takes the secrets that SIGHUP has had the launcher read again. */
  onReload: (reloaded: Reloaded) => void = () => {};

  /** Resolves if the user wants the end without waiting for calls. */
  readonly hurried: Promise<void>;

  /** Drops all before the settings have come. */
  log: Log = new Log(SILENT, () => {});
  /** Drops all if runs are not audited. */
  audit: Log = new Log(SILENT, () => {});
  /** Lines that could not be written. */
  readonly unwritten = { log: 0, audit: 0 };
  /** Resolves once what was logged is on its way. */
  logged: Promise<void> = Promise.resolve();

  #isEnding = false;
  #client = new Queue<FromClient>();
  #eof = Promise.withResolvers<void>();
  #hurried = Promise.withResolvers<void>();
  /** Bounds lines under way to the client; `#receipts`, lines from the client. */
  #window = new Window(CLIENT_WINDOW);
  #receipts = new Receipts(
    CLIENT_WINDOW,
    (bytes) => void this.#write(...encodeFrame("taken", bytes)),
  );
  #channels = new Map<
    number,
    (said: Packet | Ended, held?: HeldBody) => void
  >();
  #started = 0;
  #said = new Queue<Answered<Said> | Ended>();
  #launcher = new Requests<Question, Said>(() => ({
    messages: this.#said,
    send: (message) => this.#send(0, message),
    kill() {},
  }), { what: "the launcher", most: Infinity });
  #settings = Promise.withResolvers<ServerSettings>();

  constructor() {
    this.settings = this.#settings.promise;
    this.eof = this.#eof.promise;
    this.hurried = this.#hurried.promise;
    // Without a broker there is nothing left to do.
    this.#read().then(() => Deno.exit(0), (error) => this.fail(error));
  }

  /** Ends this process for a fault of ours. */
  async fail(error: unknown): Promise<void> {
    log(`mcp-run-python: the server ends: ${detailsOf(error)}`);
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.noteFault();
    const told = this.onFault().catch(() => {}).then(() => this.logged);
    await isOverWithin(told, LAST_WORDS_MS);
    Deno.exit(EXIT.failure);
  }

  /** Ends this process when its last work is done, or late. */
  async end(): Promise<never> {
    const saved = this.onShutdown();
    if (await isOverWithin(saved, this.shutdownMs)) await saved;
    else {
      const reason = `not all were saved within ${this.shutdownMs / 1000} s`;
      this.log.write("warning", "session", { event: "lost", reason });
    }
    await this.logged;
    Deno.exit(EXIT.ok);
  }

  /** Waits while the client leaves too many answers unread. */
  async nextFromClient(): Promise<FromClient> {
    // A race for each message would stay with the promise of the end.
    if (this.#window.waiting >= WAITING_ANSWERS) {
      const fewer = this.#window.below(WAITING_ANSWERS);
      await Promise.race([this.#eof.promise, fewer]);
    }
    const next = await this.#client.next();
    if (next instanceof Uint8Array) {
      this.#receipts.take(next.length + LINE_COST);
    }
    return next;
  }

  /**
   * Writes a line to the client, once the client has read the lines before.
   *
   * @throws {RangeError} If the line is longer than a line may be.
   */
  async sendToClient(line: string): Promise<void> {
    const bytes = encoder.encode(`${line}\n`);
    refuseLong(bytes.length);
    await this.#window.pass(bytes.length + LINE_COST, () => this.#write(bytes));
  }

  /**
   * Has the broker start a process of a kind, which it checks.
   *
   * @param parse Reads each message of the process.
   */
  spawn<Out, In>(
    kind: string,
    spec: object,
    parse: Parse<In>,
  ): Channel<Out, In> {
    const id = ++this.#started;
    const messages = new Queue<In | Ended>();
    this.#channels.set(id, (said, held) => {
      if (!("type" in said)) {
        const read = held ? (data: unknown) => parse(data, held) : parse;
        return messages.push(parsePacket(said, read));
      }
      this.#channels.delete(id);
      messages.push(said);
    });
    void this.#write(...encodeFrame("spawn", id, { kind, spec }));
    return {
      messages,
      send: (message, body) => this.#send(id, message, body),
      pause: () => void this.#write(...encodeFrame("pause", id)),
      hold: (isWanted) =>
        void this.#write(...encodeFrame(isWanted ? "hold" : "pass", id)),
      kill: () => void this.#write(...encodeFrame("kill", id)),
    };
  }

  /** Has the launcher install packages; without requirements, the server's own. */
  async install(
    requirements: string[],
    onStep: (step: ProgressStep) => void,
  ): Promise<InstallAnswer> {
    return await this.#ask<InstallAnswer>(
      { kind: "install", requirements },
      (step) => onStep(step as unknown as ProgressStep),
    );
  }

  /** Tells the launcher where clients of HTTP reach this server, or why not. */
  async tellListening(outcome: Listening): Promise<void> {
    await this.#ask({ kind: "listening", outcome });
  }

  /** Has the launcher tell what its signals ask for. */
  followSignals(): void {
    void this.#ask({ kind: "signals" }, ({ hurry, reloaded }) => {
      if (hurry) this.#hurried.resolve();
      if (reloaded) this.onReload(reloaded);
    });
  }

  /** Asks the launcher for the downstream servers that are configured now. */
  async askServers(): Promise<ListedServer[]> {
    return await this.#ask<ListedServer[]>({ kind: "servers" });
  }

  /** @throws {Error} The launcher's, if it cannot do it. */
  async #ask<T>(
    question: Question,
    onStep?: (step: Said) => void,
  ): Promise<T> {
    const { answer } = await this.#launcher.ask(question, undefined, {
      onStep,
    });
    const { value, error } = answer;
    if (error !== undefined) throw new Error(error);
    return value as T;
  }

  async #send(
    id: number,
    message: unknown,
    body?: AnyBody,
  ): Promise<void> {
    const frame = body instanceof HeldBody
      ? encodeForward(id, message, body)
      : encodeFrame("to", id, message, body);
    refuseLong(sizeOf(frame));
    await this.#write(...frame);
  }

  #toLines(kind: "log" | "audit"): (line: Uint8Array<ArrayBuffer>) => void {
    return (line) => {
      this.logged = this.#write(...encodeFrame("to", 0, { kind }, line));
    };
  }

  async #write(...pieces: Uint8Array<ArrayBuffer>[]): Promise<void> {
    await writeStdout(...pieces).catch(() => Deno.exit(0));
  }

  async #read(): Promise<void> {
    for await (const read of readPackets(readStdin(), BOUNDS, packetStart)) {
      if (isFrame(read)) this.#take(decodeFrame(read, TO_SERVER));
      else this.#client.push(read.line);
    }
  }

  #take({ kind, id, packet }: Frame<ToServer>): void {
    switch (kind) {
      case "from":
        if (id === 0) this.#hear(decodePacket(packet) as FromLauncher);
        else this.#channels.get(id)?.(packet);
        return;
      case "held": {
        const { held, message } = readHeld(packet.line);
        return this.#channels.get(id)?.({ line: message }, held);
      }
      case "ended": {
        const ended = decodePacket(packet) as Omit<Ended, "type">;
        return this.#channels.get(id)?.({ ...ended, type: "ended" });
      }
      case "taken":
        return this.#window.leave(id);
    }
  }

  /** Takes a message of the launcher itself, which writes it from the user's settings. */
  #hear(message: FromLauncher): void {
    if (!("kind" in message)) return this.#said.push(message);
    switch (message.kind) {
      case "settings": {
        const { settings } = message;
        this.shutdownMs = settings.saveAllSeconds * 1000;
        this.log = new Log(settings, this.#toLines("log"));
        if (settings.audits) {
          this.audit = new Log(AUDITED, this.#toLines("audit"));
        }
        return this.#settings.resolve(settings);
      }
      case "eof":
        this.#client.push(null);
        return this.#eof.resolve();
      case "unwritten":
        this.unwritten[message.lines]++;
        return;
      case "overlong":
        return this.#client.push({ tooLong: message.bytes });
    }
  }
}

/** A task for the launcher. */
type Question =
  | { kind: "install"; requirements: string[] }
  | { kind: "listening"; outcome: Listening }
  | { kind: "servers" }
  | { kind: "signals" };

/** Words of the launcher about a task. */
interface Said {
  value?: unknown;
  error?: string;
  hurry?: boolean;
  reloaded?: Reloaded;
}

/** The launcher's messages: words about a task, or what it tells by itself. */
type FromLauncher =
  | Answered<Said>
  | { kind: "settings"; settings: ServerSettings }
  | { kind: "eof" }
  | { kind: "unwritten"; lines: "log" | "audit" }
  | { kind: "overlong"; bytes: number };

/** Throws for a line that the broker would not read. */
function refuseLong(bytes: number): void {
  if (bytes <= SERVER_LINE) return;
  throw new RangeError(
    `Cannot send a line of ${bytes} bytes, as a line may have ${SERVER_LINE}`,
  );
}
