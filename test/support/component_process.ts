import { sha256 } from "../../src/disk.ts";
import {
  type GuestGrants,
  NOTHING_GRANTED,
} from "../../src/grants/guest_grants.ts";
import { startComponent } from "../../src/launcher/components/start_component.ts";
import { toScopePaths } from "../../src/launcher/find_scope_paths.ts";
import {
  type FromBridge,
  parseFromBridge,
  type ToBridge,
} from "../../src/protocol/bridge_messages.ts";

/** Where the processes of a test keep what they have made of their files. */
export interface ComponentTerms {
  cacheDir: string;
  grants?: Partial<GuestGrants>;
  /** Characters of JSON that a result may have. */
  maxResult?: number;
  startMs?: number;
  /** Program and arguments in the place of the second wall. */
  wall?: string[];
  /** What the user pins; by default, the hash of the file. */
  sha256?: string;
}

type Call = ToBridge & { type: "call" };

/** The process of a component, started as the broker does it. */
export class ComponentProcess implements AsyncDisposable {
  /** Lines without the token, and those that are not of the protocol. */
  readonly strange: string[] = [];
  #token: string = crypto.randomUUID();
  #writer: WritableStreamDefaultWriter<Uint8Array>;
  #waiting = new Map<number, (message: FromBridge) => void>();
  #last = 0;
  #ended: Promise<void>;

  constructor(
    readonly process: Deno.ChildProcess,
    first: object,
  ) {
    this.#writer = process.stdin.getWriter();
    this.#write(this.#token);
    this.#write(JSON.stringify(first));
    this.#ended = this.#read();
  }

  get status(): Promise<Deno.CommandStatus> {
    return this.process.status;
  }

  /** Sends a message as it stands. */
  send(message: ToBridge): void {
    this.#write(JSON.stringify(message));
  }

  /** Sends a request; gives its answer, or `failed` if the process ends before it. */
  ask(request: Record<string, unknown>): Promise<FromBridge> {
    const id = ++this.#last;
    const { promise, resolve } = Promise.withResolvers<FromBridge>();
    this.#waiting.set(id, resolve);
    this.send({ ...request, id } as ToBridge);
    return promise;
  }

  list(): Promise<FromBridge> {
    return this.ask({ type: "list" });
  }

  /** The answer to a call as it came. */
  tryCall(
    tool: string,
    args: object = {},
    more: Partial<Call> = {},
  ): Promise<FromBridge> {
    return this.ask({
      ...{ type: "call", tool, arguments: JSON.stringify(args) },
      ...{ timeoutMs: 60_000, ...more },
    });
  }

  /** The result of a call. */
  async call(
    tool: string,
    args: object = {},
    more: Partial<Call> = {},
    // deno-lint-ignore no-explicit-any -- of any form
  ): Promise<any> {
    const answer = await this.tryCall(tool, args, more);
    if (answer.type === "result") return JSON.parse(answer.result);
    throw new Error(`${JSON.stringify(answer)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close().catch(() => {});
    await this.process.status;
    await this.#ended;
  }

  #write(line: string): void {
    const bytes = new TextEncoder().encode(`${line}\n`);
    this.#writer.write(bytes).catch(() => {});
  }

  async #read(): Promise<void> {
    const lines = this.process.stdout.pipeThrough(new TextDecoderStream());
    let rest = "";
    for await (const text of lines) {
      const [...whole] = (rest + text).split("\n");
      rest = whole.pop() ?? "";
      for (const line of whole) this.#take(line);
    }
    for (const [id, resolve] of this.#waiting) {
      resolve({ type: "failed", id, kind: "connection", reason: "it ended" });
    }
  }

  #take(line: string): void {
    const message = line.startsWith(this.#token)
      ? parseFromBridge(JSON.parse(line.slice(this.#token.length)))
      : undefined;
    if (message?.type === "ending") return;
    if (!message || !("id" in message)) return void this.strange.push(line);
    const resolve = this.#waiting.get(message.id);
    if (!resolve) return void this.strange.push(line);
    this.#waiting.delete(message.id);
    resolve(message);
  }
}

/** Starts the process of a component, with the flags and the first message of the launcher. */
export function startComponentProcess(
  file: string,
  {
    cacheDir,
    grants,
    maxResult = 1 << 20,
    startMs = 60_000,
    sha256: pin,
    wall,
  }: ComponentTerms,
): ComponentProcess {
  const entry = {
    ...{ name: "guest", source: "a test", transport: "wasm" as const, file },
    sha256: pin ?? sha256(Deno.readFileSync(file)),
    grants: { ...NOTHING_GRANTED, ...grants },
  };
  const { process, first } = startComponent(entry, { startMs, maxResult }, {
    ...{ cacheDir, program: toScopePaths(cacheDir, []).program, own: [] },
    ...{ unwritten: [], kept: [] },
    ownAddresses: Deno.networkInterfaces().map(({ address }) => address),
    ...{ wall: wall && (() => wall), nice: [], logs: true },
  });
  return new ComponentProcess(process, first);
}
