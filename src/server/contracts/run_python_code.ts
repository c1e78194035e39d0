import { z } from "../../../deps/zod.ts";
import type { FileBounds } from "../../protocol/run_files.ts";
import {
  enginesOf,
  type ServerSettings,
} from "../../protocol/server_settings.ts";
import { toOutputSchema } from "../../results/output_schema.ts";
import { toStructured, toText } from "../../results/render.ts";
import { anyObject, checkSize, show } from "./arguments.ts";
import {
  type CallContract,
  type Connection,
  contract,
  toData,
  toRunAnswer,
} from "./contract.ts";
import { describe } from "./description.ts";
import { filesSchema, toFiles } from "./files_argument.ts";
import { toPlainGlobals } from "./globals.ts";
import { SESSION } from "./session_tools.ts";
import { toRunningAnswer } from "../lasting/running.ts";
import { toWait, waitSchema } from "./wait_argument.ts";

const NAME = "run_python_code";

export function openRunPythonCode(
  { settings, files }: Connection,
): CallContract {
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
    outputSchema: settings.structured === "none"
      ? undefined
      : toOutputSchema(settings),
    toRequest: (args) => ({
      request: {
        code: checkSize(args.python_code, settings.maxCode, {
          name: "python_code",
          remedy: "less code, or its data in global_variables",
        }),
        globals: toPlainGlobals(args.global_variables),
        timeoutMs: Math.max(1, Math.round(args.timeout * 1000)),
        ...(args.engine === undefined ? {} : { engine: args.engine }),
      },
      files: toFiles(args.files, files.bounds),
      session: args.session,
      ...toWait(args),
    }),
    toRunning: (running) =>
      toRunningAnswer(
        running,
        settings.returnMode === "json" ? "json" : "xml",
        settings.structured,
      ),
    render(run) {
      // Programs read JSON.
      const text = settings.returnMode === "json"
        ? toText(run.whole ?? run.result, "json")
        : toText(run.result, "xml");
      const structured = toStructured(toData(run, settings));
      return toRunAnswer(run, { text, structured }, settings);
    },
  });
}

function toSchema(settings: ServerSettings, bounds: FileBounds) {
  const { timeoutSeconds, maxTimeoutSeconds, sessions, stateful } = settings;
  const names = enginesOf(settings).map(({ name }) => name);
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
    wait: waitSchema(settings),
    engine: z.enum(names, {
      error: ({ input }) =>
        `engine is ${show(input)}, and must be ${
          names.map((name) => `"${name}"`).join(" or ")
        }`,
    }).optional().describe(
      `The interpreter; "${settings.engine.name}" if not said.`,
    ),
  });
  return schema.omit({
    ...(settings.longRuns ? {} : { wait: true }),
    ...(sessions ? {} : { session: true }),
    ...(names.length > 1 ? {} : { engine: true }),
  }) as typeof schema;
}

function toInstructions({ sessions, stateful }: ServerSettings): string {
  const state = stateful
    ? 'Variables, imports and files are kept from call to call; session "none" starts from nothing.'
    : `Every call starts from nothing: no variables, files or imports are kept, so send complete code each time${
      sessions ? ', or work in a session (session "new")' : ""
    }.`;
  return `Use \`${NAME}\` whenever exact computation, data handling, plots or text processing help: it runs Python in a sandbox and returns what was printed, the value of the last expression, pictures and files. ${state}`;
}
