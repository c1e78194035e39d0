import { z } from "../../../deps/zod.ts";
import { ENCODED_GLOBALS, fitsEncoded } from "../../protocol/bounds.ts";
import type { FileBounds } from "../../protocol/run_files.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import { head } from "../../results/cut.ts";
import { OUTPUT_SCHEMA } from "../../results/output_schema.ts";
import { toStructured, toText } from "../../results/render.ts";
import { anyObject, checkSize } from "./arguments.ts";
import {
  type Connection,
  type Contract,
  contract,
  toRunAnswer,
} from "./contract.ts";
import { describe } from "./description.ts";
import { filesSchema, toFiles } from "./files_argument.ts";
import { SESSION } from "./session_tools.ts";

const NAME = "run_python_code";

export function openRunPythonCode({ settings, files }: Connection): Contract {
  const isWriting = settings.mounts.some(({ isWritable }) => isWritable);
  return contract({
    name: NAME,
    instructions: toInstructions(settings),
    tool: () => ({
      title: "Run Python code",
      description: describe(settings),
      annotations: {
        title: "Run Python code",
        readOnlyHint: !isWriting,
        destructiveHint: isWriting,
        idempotentHint: false,
        openWorldHint: settings.allowNet.length > 0,
      },
    }),
    schema: toSchema(settings, files.bounds),
    outputSchema: settings.structured ? OUTPUT_SCHEMA : undefined,
    toRequest: (args) => ({
      request: {
        code: checkSize(args.python_code, settings.maxCode, {
          name: "python_code",
          remedy: "less code, or its data in global_variables",
        }),
        globals: toGlobals(args.global_variables),
        timeoutMs: Math.max(1, Math.round(args.timeout * 1000)),
      },
      files: toFiles(args.files, files.bounds),
      session: args.session,
    }),
    render(run) {
      const mode = settings.returnMode === "json" ? "json" : "xml";
      const text = toText(run.result, mode);
      const structured = toStructured(run.result);
      return toRunAnswer(run, { text, structured }, settings);
    },
  });
}

function toSchema(
  { timeoutSeconds, maxTimeoutSeconds, sessions, stateful }: ServerSettings,
  bounds: FileBounds,
) {
  const error = ({ input }: { input?: unknown }) =>
    `timeout is ${input}, and must be above 0 and at most ${maxTimeoutSeconds} seconds (--max-timeout)`;
  const schema = z.strictObject({
    python_code: z.string().describe(
      "Python to run. Top-level await works. The value of the last expression is returned.",
    ),
    global_variables: anyObject().default({})
      .describe("Names bound before the code runs, with JSON values."),
    timeout: z.number().gt(0, { error }).max(maxTimeoutSeconds, { error })
      .default(timeoutSeconds)
      .describe("Seconds after which the code is stopped."),
    files: filesSchema(bounds),
    session: SESSION.optional().describe(
      stateful
        ? '"none" runs the code in a fresh interpreter, "reset" forgets all before it, "new" opens another session, whose handle the result has; give the handle to go on there.'
        : '"new" opens a session, which keeps variables, imports and files; the result has its handle: give it here to go on there.',
    ),
  });
  return sessions ? schema : schema.omit({ session: true }) as typeof schema;
}

function toInstructions({ sessions, stateful }: ServerSettings): string {
  const state = stateful
    ? 'Variables, imports and files are kept from call to call; session "none" starts from nothing.'
    : `Every call starts from nothing: no variables, files or imports are kept, so send complete code each time${
      sessions ? ', or work in a session (session "new")' : ""
    }.`;
  return `Use \`${NAME}\` whenever exact computation, data handling, plots or text processing help: it runs Python in a sandbox and returns what was printed, the value of the last expression, pictures and files. ${state}`;
}

function toGlobals(names: Record<string, unknown>): string {
  const bad = Object.keys(names).find((name) => !IDENTIFIER.test(name));
  if (bad !== undefined) {
    throw new TypeError(
      `global_variables has "${head(bad, 100)}", which is not a Python name`,
    );
  }
  refuseUnwritable(names, () => "global_variables", MAX_DEPTH);
  const text = JSON.stringify(names);
  if (fitsEncoded(text, ENCODED_GLOBALS)) return text;
  throw new RangeError(
    `global_variables is too large: as JSON in JSON it may have ${ENCODED_GLOBALS} bytes, and ${text.length} characters become more. Send less, or a file`,
  );
}

const IDENTIFIER = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;

/** Lists and objects in each other that a variable may have. */
const MAX_DEPTH = 200;

/**
 * Refuses numbers that JSON text cannot have, and depth that fills a stack. A
 * million values take little time: their paths are not written unless it is needed.
 */
function refuseUnwritable(value: unknown, path: () => string, depth: number) {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new RangeError(
      `${head(path(), 100)} is a number that is too large: send a string`,
    );
  }
  if (typeof value !== "object" || value === null) return;
  if (depth === 0) {
    throw new RangeError(`${head(path(), 100)}… is nested too deep`);
  }
  const children: unknown[] = Array.isArray(value)
    ? value
    : Object.values(value);
  const pathOf = (at: number) => `${path()}.${Object.keys(value)[at]}`;
  for (const [at, child] of children.entries()) {
    refuseUnwritable(child, () => pathOf(at), depth - 1);
  }
}
