/**
 * Python for programs of this repository, within their own process: its tests, and
 * what measures it. `mod.ts` is the library.
 *
 * @module
 */
import { resolve } from "node:path";
import { findCaches } from "../../src/cli/cache_dir.ts";
import { thisMachine } from "../../src/cli/context.ts";
import { PERMISSION_KINDS } from "../../src/grants/permissions.ts";
import { openPrepared } from "../../src/launcher/python.ts";
import { prepare, type Prepared } from "../../src/launcher/prepare.ts";
import { fields } from "../../src/protocol/fields.ts";
import type {
  Completeness,
  Completions,
  ShellLook,
} from "../../src/protocol/pipe_messages.ts";
import type {
  ProgramCallOptions,
  ProgramClient,
} from "../../src/protocol/program_client.ts";
import type { Json, RunResult } from "../../src/protocol/run_result.ts";
import { CANCELLED } from "../../src/results/to_result.ts";
import {
  DEFAULTS,
  SETTINGS,
  type Settings,
  toLogLevel,
  toRows,
} from "../../src/settings.ts";
import type { NumberKind } from "../../src/settings/kind.ts";
import { didYouMean } from "../../src/did_you_mean.ts";

/**
 * Opens Python: installs the packages of the settings if they are not in the
 * cache, and makes ready to run code.
 *
 * The program needs the permissions of `deno run -A`, and keeps them; its server
 * and sandbox processes get only those of their rows in docs/security.md.
 *
 * @param settings Settings that differ from the command's defaults: those of
 * docs/configuration.md, under the names of `Settings`. Mounts are taken as they
 * are, but for folders that this program itself runs from. If `maxOutput` is
 * undefined, only answers to clients of MCP are cut to its default.
 * @throws {TypeError | RangeError} If a setting is unknown, or outside its limits.
 * @throws {UserError} If the environment cannot be had; with the remedy.
 */
export async function openPython(
  settings: Partial<Settings> = {},
): Promise<Python> {
  const given = Object.entries(settings).filter(([, value]) =>
    value !== undefined
  );
  given.forEach(refuseWrong);
  const all: Settings = {
    ...DEFAULTS,
    ...Object.fromEntries(given),
    logLevel: toLogLevel(settings),
    ...(settings.cacheDir === undefined
      ? findCaches(Deno.env.toObject(), thisMachine())
      : { cacheDir: resolve(settings.cacheDir) }),
    ...(settings.sessionStore === undefined
      ? {}
      : { sessionStore: resolve(settings.sessionStore) }),
  };
  return new Python(await prepare(all));
}

function refuseWrong([name, value]: [string, unknown]): void {
  const [, row] = toRows().find(([key]) => key === name) ?? [];
  // Constants are settings of tests alone.
  if (!row && name in DEFAULTS) return;
  if (!row) {
    const known = Object.keys(SETTINGS);
    throw new TypeError(
      `Cannot open Python as there is no setting "${name}".` +
        didYouMean(name, known),
    );
  }
  const { toml, wants, parse } = row.kind as NumberKind;
  if (toml !== "number" || value === row.spec.default) return;
  if (typeof value === "number" && parse(`${value}`) !== undefined) return;
  throw new RangeError(
    `Cannot use ${JSON.stringify(value)} for ${name} as it must be ${wants}.`,
  );
}

/** Options of a run; Python waits for the promise of its `onOutput`. */
export interface PythonRun extends ProgramCallOptions {
  /** Names bound before the code runs. */
  globals?: Record<string, Json>;
  /** Seconds after which the code is stopped; if undefined, the settings'. */
  timeoutSeconds?: number;
  /**
   * Packages that the code needs beside those of the settings, within
   * `allowInstall`. A session has those of its first run.
   */
  dependencies?: string[];
}

/** Python in sandboxes; disposing of it ends all that belongs to it. */
export class Python implements AsyncDisposable {
  #server: ReturnType<typeof openPrepared> | undefined;

  constructor(private prepared: Prepared) {}

  /** The way to a server that runs; the next call after its end starts another. */
  get client(): ProgramClient {
    if (!this.#server || this.#server.client.hasEnded) {
      const keptPermissions = PERMISSION_KINDS;
      this.#server = openPrepared(this.prepared, { keptPermissions });
    }
    return this.#server.client;
  }

  /** Runs code in a fresh interpreter, beside other runs. */
  async run(code: string, options?: PythonRun): Promise<RunResult> {
    return (await run(this.client, code, options)).result;
  }

  /** Opens a session, beside other sessions and runs. */
  session(): PythonSession {
    return new PythonSession(this);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    this.prepared[Symbol.dispose]();
  }
}

async function run(
  client: ProgramClient,
  code: string,
  options: PythonRun = {},
  session?: number,
): Promise<{ result: RunResult; isLost: boolean }> {
  const { globals, timeoutSeconds: timeout, dependencies, ...more } = options;
  return await client.run(
    { type: "run", code, session, globals, timeout, dependencies },
    more,
  );
}

/**
 * An interpreter that keeps its state from run to run; disposing of it ends the
 * interpreter.
 *
 * A run that fails, times out or is cancelled leaves the state as it is, unless
 * its interpreter had to be killed.
 */
export class PythonSession implements AsyncDisposable {
  #client: ProgramClient | undefined;
  #number = 0;
  #isLost = false;
  #closing = new AbortController();

  constructor(private server: Pick<Python, "client">) {}

  /**
   * Whether the interpreter has ended, with all state. Each run is then
   * `session-lost`: open another session.
   */
  get isLost(): boolean {
    return this.#isLost || this.#client?.hasEnded === true;
  }

  /**
   * Runs code after the runs asked for before; the first run starts the
   * interpreter. Its arguments, result and errors are those of `Python.run()`.
   * Runs of a session that is closed are `cancelled`.
   */
  async run(code: string, options: PythonRun = {}): Promise<RunResult> {
    const closing = this.#closing.signal;
    if (closing.aborted) return { ...CANCELLED, output: [] };
    const signal = AbortSignal.any([closing, options.signal ?? closing]);
    const client = this.#open();
    const all = { ...options, signal };
    const { result, isLost } = await run(client, code, all, this.#number);
    this.#isLost = isLost;
    return result;
  }

  /** Completes the Python at the end of a text; undefined if the state is lost. */
  async complete(text: string): Promise<Completions | undefined> {
    const { word, matches } = fields(await this.#look("complete", text));
    return typeof word === "string" && Array.isArray(matches)
      ? { word, matches: matches.map(String) }
      : undefined;
  }

  /** Whether a prompt should run a text; undefined if the state is lost. */
  async isComplete(text: string): Promise<Completeness | undefined> {
    const answer = await this.#look("is_complete", text);
    return COMPLETENESS.find((one) => one === answer);
  }

  /**
   * Opens a copy of the session, as it is after the runs asked for before; both
   * go on. They draw different random numbers from then on, but for generators
   * that the code has made itself.
   *
   * @throws {Error} If it cannot be copied; the message has the reasons.
   */
  async fork(): Promise<PythonSession> {
    const client = this.#open();
    const copy = new PythonSession(this.server);
    copy.#client = client;
    copy.#number = client.number();
    const [session, number] = [this.#number, copy.#number];
    await client.call({ type: "fork", session, copy: number });
    return copy;
  }

  /** Cancels its runs, and ends its interpreter with all that is in it. */
  async close(): Promise<void> {
    this.#closing.abort();
    if (!this.#client || this.#client.hasEnded) return;
    const close = { type: "close", session: this.#number } as const;
    // The server may have ended, and the session with it.
    await this.#client.call(close).catch(() => {});
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #open(): ProgramClient {
    const client = this.#client ??= this.server.client;
    this.#number ||= client.number();
    return client;
  }

  async #look(look: ShellLook, text: string): Promise<Json | undefined> {
    const client = this.#open();
    const session = this.#number;
    const { result } = await client.run({ type: "look", session, look, text });
    return result.status === "success" ? result.returnValue : undefined;
  }
}

const COMPLETENESS = ["complete", "incomplete", "invalid"] as const;
