import { Buffer } from "node:buffer";
import { lease, type Share } from "./launcher.ts";
import { checkNames, type SandboxOptions } from "./options.ts";
import { type OnLog, SandboxError } from "./program.ts";
import type { Json } from "../protocol/run_result.ts";
import { type Result, toResult } from "./results.ts";
import { checkWait, type Run, startRun } from "./run.ts";

/** Options of a run. */
export interface RunOptions {
  /** Names bound before the code runs; JSON has to be able to carry their values. */
  globals?: Record<string, unknown>;
  /** Seconds after which the code is stopped; if absent, the sandbox's. */
  timeoutSeconds?: number;
  /** Engine of the run, of those of the option `engine`; if absent, the first. */
  engine?: string;
  /** Files to put into `/workspace`, by path: bytes, or text. */
  files?: Readonly<Record<string, Uint8Array | string>>;
  /** Ends the run; its result is then `cancelled`. */
  signal?: AbortSignal;
  /** Takes each piece of output as it comes; if it throws or rejects, the run ends. */
  onOutput?(stream: "stdout" | "stderr", text: string): void | Promise<void>;
}

/** Options of a run that goes on after its call. */
export interface WaitOptions extends RunOptions {
  /** Seconds to wait for its end before it is given as it is; 0 gives it at once. */
  wait: number;
}

/** Runs code. */
export interface Runner extends AsyncDisposable {
  /**
   * Starts Python, and gives its run after some seconds, or at its end before that.
   *
   * @throws {TypeError} As without `wait`.
   * @throws {RangeError} If `wait` is not from 0 to 86,400; or, as without it, if the
   * run fails so soon. A later failure is thrown by `result()` of the run.
   * @throws {SandboxError} In the same way.
   */
  run(code: string, options: WaitOptions): Promise<Run>;
  /**
   * Runs Python to its end; failing code is a result, too.
   *
   * @throws {TypeError} If an argument has a wrong type, an option is unknown, or
   * JSON cannot carry a global variable.
   * @throws {RangeError} If an argument is larger than it may be.
   * @throws {SandboxError} If the sandbox is closed, or has ended.
   */
  run(code: string, options?: RunOptions): Promise<Result>;
  /** Ends all that belongs to it. */
  close(): Promise<void>;
}

/** Runs Python in fresh interpreters, beside other runs. */
export interface Sandbox extends Runner {
  /** Opens an interpreter that keeps its state from run to run. */
  session(): Session;
  /**
   * Installs packages for the runs and sessions to come, within `allowInstall`.
   *
   * @throws {SandboxError} If they may not be installed, or cannot be.
   */
  install(...requirements: string[]): Promise<void>;
}

/**
 * An interpreter that keeps its state from run to run. A run that fails, times out
 * or is cancelled leaves the state as it is, unless its interpreter had to be
 * killed: each run is then `session-lost`.
 */
export interface Session extends Runner {
  /**
   * Opens a copy of the session, as it is after the runs before; both go on.
   *
   * @throws {SandboxError} If it cannot be copied; the message has the reasons.
   */
  fork(): Promise<Session>;
}

/**
 * Creates a sandbox: installs its packages if they are not in the cache, and makes
 * ready to run code. Sandboxes with equal options share their processes.
 *
 * @throws {TypeError} If an option is unknown, or is not a list where it must be one.
 * @throws {SandboxError} If it cannot start; the message has the remedy.
 */
export async function createSandbox(
  { onLog, ...options }: SandboxOptions & { onLog?: OnLog } = {},
): Promise<Sandbox> {
  const share = await lease(options, onLog);
  try {
    await share.ready;
  } catch (error) {
    await share.close();
    throw error;
  }
  let installed: string[] = [];
  return {
    run: toRun(share, () => ({ dependencies: installed })),
    session: () => openSession(share, share.openSession(), installed),
    async install(...requirements) {
      const dependencies = [...installed, ...requirements];
      const { error } = await run(share, "", {}, { dependencies });
      if (error) throw new SandboxError(error.traceback);
      installed = dependencies;
    },
    close: share.close,
    [Symbol.asyncDispose]: share.close,
  };
}

function openSession(
  share: Share,
  session: number,
  dependencies: string[],
): Session {
  const close = () => share.closeSession(session);
  return {
    run: toRun(share, () => ({ session, dependencies })),
    async fork() {
      const copy = share.openSession();
      await share.call({ type: "fork", session, copy });
      return openSession(share, copy, dependencies);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

const RUN_OPTIONS: readonly (keyof WaitOptions)[] = [
  "globals",
  "timeoutSeconds",
  "engine",
  "files",
  "signal",
  "onOutput",
  "wait",
];

interface Place {
  session?: number;
  dependencies: string[];
}

function toRun(share: Share, place: () => Place): Runner["run"] {
  function start(code: string, options: WaitOptions): Promise<Run>;
  function start(code: string, options?: RunOptions): Promise<Result>;
  async function start(
    code: string,
    { wait, ...options }: RunOptions & Partial<WaitOptions> = {},
  ): Promise<Run | Result> {
    if (wait === undefined) return await run(share, code, options, place());
    checkWait(wait);
    return await startRun(
      wait,
      options,
      (own) => run(share, code, { ...options, ...own }, place()),
    );
  }
  return start;
}

async function run(
  share: Share,
  code: string,
  options: RunOptions,
  place: Place,
): Promise<Result> {
  if (typeof code !== "string") {
    throw new TypeError(`code must be a text, and not ${code}.`);
  }
  checkNames("A run", Object.keys(options), RUN_OPTIONS);
  const { globals = {}, timeoutSeconds, engine, files = {}, signal, onOutput } =
    options;
  for (const [name, value] of Object.entries(globals)) checkJson(name, value);
  const message = {
    type: "run" as const,
    code,
    ...{ ...place, engine },
    globals: globals as Record<string, Json>,
    ...(timeoutSeconds === undefined ? {} : { timeout: timeoutSeconds }),
  };
  const put = Object.entries(files).map(([path, file]) => ({
    path,
    bytes: new Uint8Array(Buffer.from(file)),
  }));
  const { result } = await share.run(message, { signal, onOutput, files: put });
  return toResult(result);
}

/** @throws {TypeError} If JSON would leave a part of the value out, or change it. */
function checkJson(name: string, value: unknown): void {
  JSON.stringify(value, (_, part: unknown) => {
    const isLost = typeof part === "number"
      ? !Number.isFinite(part)
      : value === undefined ||
        ["bigint", "function", "symbol"].includes(typeof part);
    if (!isLost) return part;
    throw new TypeError(
      `Cannot send the global variable "${name}" to the sandbox: JSON has nothing for ${
        String(part)
      }${remedyFor(part)}.`,
    );
  });
}

function remedyFor(part: unknown): string {
  switch (typeof part) {
    case "number":
      return ": send null, or a text that the code gives to float()";
    case "bigint":
      return ": send a text that the code gives to int()";
    default:
      return "";
  }
}
