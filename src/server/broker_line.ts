import {
  decodeFrame,
  encodeFrame,
  type Frame,
  isFrame,
  readPayload,
} from "../protocol/frames.ts";
import {
  type InstallAnswer,
  OWN_ENVIRONMENT,
} from "../protocol/install_answer.ts";
import {
  type BridgeMessage,
  type BridgeProcess,
  readFromBridge,
} from "./code_mode/bridge_process.ts";
import type { SandboxMessage, SandboxProcess } from "./pool/sandbox.ts";
import { readStdin, writeStdout } from "../protocol/standard_streams.ts";
import { parseFromSandbox } from "../protocol/sandbox_messages.ts";
import {
  BROKER_LINE,
  CLIENT_WINDOW,
  LINE_COST,
  SERVER_LINE,
  WAITING_ANSWERS,
} from "../protocol/bounds.ts";
import { readLines } from "../protocol/lines.ts";
import {
  type LibraryReply,
  type LibraryRequest,
  parseLibraryRequest,
} from "../protocol/library_calls.ts";
import type { ListedServer } from "../protocol/downstream.ts";
import type { ProgressStep } from "../protocol/progress.ts";
import { Log } from "../protocol/log_lines.ts";
import {
  decodeFromStore,
  type FromStore,
  type ToStore,
} from "../protocol/keeper_messages.ts";
import {
  decodeFromState,
  type FromState,
  type ToState,
} from "../protocol/keeper_messages.ts";
import { Queue } from "../protocol/queue.ts";
import { Receipts, Window } from "../protocol/window.ts";
import { detailsOf, EXIT } from "../errors.ts";
import { log } from "../log.ts";
import { SHUTDOWN_MS } from "../signals.ts";
import type { Listening, ServerSettings } from "../protocol/server_settings.ts";

/** Time to tell the client of a fault of ours. */
const LAST_WORDS_MS = 1000;
/** How a process ends when V8 can go no further: nearly always for memory. */
const V8_GAVE_UP = 133;
const AUDITED = { logLevel: "info", logFormat: "json" } as const;
const SILENT = { logLevel: "error", logFormat: "text" } as const;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

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
  | "askStore"
  | "log"
  | "audit"
>;

/** The server's end of the line to the broker, and through it to the client. */
export class BrokerLine {
  /** The launcher's decisions; they arrive first. */
  readonly settings: Promise<ServerSettings>;
  readonly calls: Queue<{ id: number; message: LibraryRequest }> = new Queue();
  /** Resolves once the client, or the launcher, wants no more. */
  readonly eof: Promise<void>;
  /** Called at once when the server ends by a fault of ours, to log what is open. */
  noteFault: () => void = () => {};
  /** Called when the server ends by a fault of ours, before it ends. */
  onFault: () => Promise<void> = () => Promise.resolve();

  /** Called at the end, with {@linkcode shutdownMs} to save sessions. */
  onShutdown: () => Promise<void> = () => Promise.resolve();
  shutdownMs: number = SHUTDOWN_MS;

  /** Drops all before the settings have come. */
  log: Log = new Log(SILENT, () => {});
  /** Drops all if runs are not audited. */
  audit: Log = new Log(SILENT, () => {});
  /** Resolves once what was logged is on its way. */
  logged: Promise<void> = Promise.resolve();

  #isEnding = false;
  #client = new Queue<FromClient>();
  #eof = Promise.withResolvers<void>();
  /** Bounds lines under way to the client; `#receipts`, lines from the client. */
  #window = new Window(CLIENT_WINDOW);
  #receipts = new Receipts(
    CLIENT_WINDOW,
    (bytes) => void this.#write(encodeFrame("taken", bytes)),
  );
  #processes = new Map<number, Queue<SandboxMessage>>();
  #bridges = new Map<number, Queue<BridgeMessage>>();
  #started = 0;
  #listings = new Map<number, PromiseWithResolvers<ListedServer[]>>();
  #listingCount = 0;
  #installs = new Map<number, {
    ended: PromiseWithResolvers<InstallAnswer>;
    onStep(step: ProgressStep): void;
  }>();
  #installCount = 0;
  #stores = new Map<number, PromiseWithResolvers<FromStore>>();
  #storeCount = 0;
  #states = new Map<number, PromiseWithResolvers<FromState>>();
  #stateCount = 0;
  #settings = Promise.withResolvers<ServerSettings>();

  constructor() {
    this.settings = this.#settings.promise;
    this.eof = this.#eof.promise;
    // Without a broker there is nothing left to do.
    this.#read().then(() => Deno.exit(0), (error) => this.fail(error));
  }

  /** Ends this process for a fault of ours. */
  async fail(error: unknown): Promise<void> {
    log(`mcp-run-python: the server ends: ${detailsOf(error)}`);
    if (this.#isEnding) return;
    this.#isEnding = true;
    const late = new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS));
    this.noteFault();
    const told = this.onFault().catch(() => {}).then(() => this.logged);
    await Promise.race([told, late]);
    Deno.exit(EXIT.failure);
  }

  /** Ends this process when its last work is done, or late. */
  async end(): Promise<never> {
    const late = new Promise((resolve) =>
      setTimeout(resolve, this.shutdownMs, "late")
    );
    if (await Promise.race([this.onShutdown(), late]) === "late") {
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
    refuseLong(bytes);
    await this.#window.pass(bytes.length + LINE_COST, () => this.#write(bytes));
  }

  /**
   * Sends a message to the launcher, about one of its own calls.
   *
   * @throws {RangeError} If it is longer than a line may be.
   */
  async reply(id: number, message: LibraryReply): Promise<void> {
    await this.#send("reply", id, message);
  }

  /**
   * Has the broker install packages; without requirements, the server's own. Gives
   * the number of their environment.
   */
  async install(
    requirements: string[],
    onStep: (step: ProgressStep) => void,
  ): Promise<{ environment: number; answer: InstallAnswer }> {
    const environment = requirements.length === 0
      ? OWN_ENVIRONMENT
      : ++this.#installCount;
    const ended = Promise.withResolvers<InstallAnswer>();
    this.#installs.set(environment, { ended, onStep });
    await this.#write(encodeFrame("install", environment, requirements));
    return { environment, answer: await ended.promise };
  }

  /** Tells the launcher where clients of HTTP reach this server, or why not. */
  async tellListening(outcome: Listening): Promise<void> {
    await this.#write(encodeFrame("listening", 0, outcome));
  }

  /** Has the broker start a sandbox process, in the environment of an install. */
  spawn(environment: number): SandboxProcess {
    const id = ++this.#started;
    const messages = new Queue<SandboxMessage>();
    this.#processes.set(id, messages);
    void this.#write(encodeFrame("spawn", id, environment));
    return {
      messages,
      send: (message) => this.#send("to", id, message),
      kill: () => void this.#write(encodeFrame("kill", id)),
    };
  }

  /** Asks the launcher for the downstream servers that are configured now. */
  async askServers(): Promise<ListedServer[]> {
    const id = ++this.#listingCount;
    const listing = Promise.withResolvers<ListedServer[]>();
    this.#listings.set(id, listing);
    await this.#write(encodeFrame("servers", id));
    return await listing.promise;
  }

  /** Has the broker start the bridge of a downstream server. */
  connect(name: string): BridgeProcess {
    const id = ++this.#started;
    const messages = new Queue<BridgeMessage>();
    this.#bridges.set(id, messages);
    void this.#write(encodeFrame("connect", id, name));
    return {
      messages,
      send: (message) => this.#send("to", id, message),
      kill: () => void this.#write(encodeFrame("kill", id)),
    };
  }

  /** Asks the store, which the broker starts if need be; it always answers. */
  async askStore(request: ToStore): Promise<FromStore> {
    const id = ++this.#storeCount;
    const answer = Promise.withResolvers<FromStore>();
    this.#stores.set(id, answer);
    await this.#send("store", id, request);
    return await answer.promise;
  }

  /** Asks the process that keeps what outlives sessions, as the store is asked. */
  async askState(request: ToState): Promise<FromState> {
    const id = ++this.#stateCount;
    const answer = Promise.withResolvers<FromState>();
    this.#states.set(id, answer);
    await this.#send("state", id, request);
    return await answer.promise;
  }

  async #send(
    kind: "reply" | "store" | "state" | "to",
    id: number,
    message: object,
  ) {
    const line = encodeFrame(kind, id, message);
    refuseLong(line);
    await this.#write(line);
  }

  #toLines(kind: "log" | "audit"): (line: Uint8Array) => void {
    return (line) => {
      this.logged = this.#write(encodeFrame(kind, 0, line));
    };
  }

  async #write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await writeStdout(bytes).catch(() => Deno.exit(0));
  }

  async #read(): Promise<void> {
    for await (const line of readLines(readStdin(), BROKER_LINE)) {
      if (isFrame(line)) this.#take(decodeFrame(line));
      else this.#client.push(line);
    }
  }

  #take(frame: Frame): void {
    switch (frame.kind) {
      case "settings": {
        // Written by the launcher, from the user's settings.
        const settings = JSON.parse(decoder.decode(frame.payload));
        this.log = new Log(settings, this.#toLines("log"));
        if (settings.audits) {
          this.audit = new Log(AUDITED, this.#toLines("audit"));
        }
        this.#settings.resolve(settings);
        break;
      }
      case "eof":
        this.#client.push(null);
        this.#eof.resolve();
        break;
      case "taken":
        this.#window.leave(frame.id);
        break;
      case "overlong":
        this.#client.push({ tooLong: frame.id });
        break;
      case "call": {
        const message = parseLibraryRequest(readPayload(frame));
        this.calls.push({ id: frame.id, message });
        break;
      }
      case "from":
        if (this.#bridges.has(frame.id)) {
          this.#bridges.get(frame.id)?.push(readFromBridge(frame));
        } else this.#processes.get(frame.id)?.push(readMessage(frame));
        break;
      // Written by the launcher, as are the answers.
      case "installing":
        this.#installs.get(frame.id)?.onStep(
          JSON.parse(decoder.decode(frame.payload)),
        );
        break;
      case "installed":
        this.#installs.get(frame.id)?.ended.resolve(
          JSON.parse(decoder.decode(frame.payload)),
        );
        this.#installs.delete(frame.id);
        break;
      case "stored":
        this.#stores.get(frame.id)?.resolve(
          decodeFromStore(decoder.decode(frame.payload)),
        );
        this.#stores.delete(frame.id);
        break;
      case "configured":
        this.#listings.get(frame.id)?.resolve(
          JSON.parse(decoder.decode(frame.payload)),
        );
        this.#listings.delete(frame.id);
        break;
      case "kept":
        this.#states.get(frame.id)?.resolve(
          decodeFromState(decoder.decode(frame.payload)),
        );
        this.#states.delete(frame.id);
        break;
      case "ended": {
        const ended = JSON.parse(decoder.decode(frame.payload));
        this.#bridges.get(frame.id)?.push({ type: "ended", reason: ended });
        this.#bridges.delete(frame.id);
        const how = toHow(ended);
        const isOutOfMemory = ended.code === V8_GAVE_UP;
        const end = { type: "ended", how, isOutOfMemory } as const;
        this.#processes.get(frame.id)?.push(end);
        this.#processes.delete(frame.id);
      }
    }
  }
}

/** Throws for a line that the broker would not read. */
function refuseLong(line: Uint8Array): void {
  if (line.length <= SERVER_LINE) return;
  throw new RangeError(
    `Cannot send a line of ${line.length} bytes, as a line may have ${SERVER_LINE}`,
  );
}

function readMessage(frame: Frame): SandboxMessage {
  const reason = "The sandbox sent a message outside the protocol";
  try {
    return parseFromSandbox(readPayload(frame)) ?? { type: "failed", reason };
  } catch {
    return { type: "failed", reason };
  }
}

/** Words for a process's status, or for the error by which it could not start. */
function toHow(ended: string | { code: number; signal: string | null }) {
  if (typeof ended === "string") return `(${ended})`;
  return ended.signal ? `by ${ended.signal}` : `with code ${ended.code}`;
}
