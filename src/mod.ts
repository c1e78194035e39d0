/**
 * Runs Python that a language model wrote, safely, in sandboxes of this machine.
 *
 * @example
 * ```ts
 * import { assert, assertEquals } from "../deps/assert.ts";
 *
 * await using sandbox = await createSandbox({ cacheDir: ".cache/test" });
 * const { value, output } = await sandbox.run("print('summed')\nsum(numbers)", {
 *   globals: { numbers: [1, 2, 3] },
 * });
 * assertEquals([value, output], [6, "summed"]);
 *
 * const { error } = await sandbox.run("1 / 0");
 * assert(error?.type === "ZeroDivisionError");
 * ```
 *
 * @module
 */
export { createSandbox } from "./library/sandbox.ts";
export type {
  Runner,
  RunOptions,
  Sandbox,
  Session,
  WaitOptions,
} from "./library/sandbox.ts";
export type { Run } from "./library/run.ts";
export { createServer } from "./library/server.ts";
export type { FetchOptions, Server, ServerOptions } from "./library/server.ts";
export type { OnLog } from "./library/program.ts";
export { SandboxError } from "./library/program.ts";
export type { Option, SandboxOptions } from "./library/options.ts";
export type { Failure, Page, Picture, Result } from "./library/results.ts";
export type { AudioType, DisplayType, ImageType } from "./protocol/displays.ts";
export type { RunFacts } from "./protocol/run_facts.ts";
export type { Json, Status, Timings } from "./protocol/run_result.ts";
