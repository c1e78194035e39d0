import { z } from "../../../../deps/zod.ts";
import {
  enginesOf,
  type ServerSettings,
} from "../../../protocol/server_settings.ts";
import { anyObject, checkSize } from "../arguments.ts";
import { contract, type OpenContract, toRunAnswer } from "../contract.ts";
import { describeMounts, describeNetwork } from "../description.ts";
import { toGlobals } from "../globals.ts";
import {
  checkMontyObject,
  MONTY_OBJECT,
  toMontySchema,
} from "./monty_object.ts";
import { RESOURCE_LIMITS, toTerms } from "./resource_limits.ts";
import { RUN_SCHEMA, toAnswer } from "./run_answer.ts";

const NAME = "run";
const ENGINE = "monty";

/** The tool of the engine Monty, as hyper-mcp's monty-plugin has it: docs/monty.md. */
export const openRun: OpenContract = ({ settings, files }) => {
  if (!enginesOf(settings).some(({ name }) => name === ENGINE)) return;
  const isWriting = settings.mounts.some(({ isWritable }) => isWritable);
  return contract({
    name: NAME,
    tool: () => ({
      title: "Run plain Python",
      description: describe(settings),
      annotations: {
        title: "Run plain Python",
        readOnlyHint: !isWriting,
        destructiveHint: isWriting,
        idempotentHint: false,
        openWorldHint: settings.allowNet.length > 0,
      },
    }),
    schema: SCHEMA,
    outputSchema: settings.structured === "none" ? undefined : RUN_SCHEMA,
    toRequest: ({ code, inputs, resource_limits: limits }) => ({
      request: {
        engine: ENGINE,
        code: checkSize(code, settings.maxCode, {
          name: "code",
          remedy: "less code, or its data in inputs",
        }),
        globals: toGlobals("inputs", inputs, (value, name) => {
          checkMontyObject(value, `inputs.${name}`);
        }),
        own: JSON.stringify(toTerms(limits ?? {}, settings)),
        timeoutMs: Math.max(1, Math.round(settings.timeoutSeconds * 1000)),
      },
      files: [],
      session: "none",
    }),
    render: (run) => toRunAnswer(run, toAnswer(run, files.maxOutput), settings),
  });
};

const SCHEMA = z.strictObject({
  code: z.string().describe(
    "Python to run. The value of the last expression is the result.",
  ),
  inputs: anyObject().default({}).meta({
    type: "object",
    additionalProperties: { anyOf: [MONTY_OBJECT, {}] },
  }).describe(
    "Variables: MontyObjects, or plain JSON. An object whose only key is a tag is a MontyObject.",
  ),
  resource_limits: RESOURCE_LIMITS.nullable().default({}).describe(
    "The server's own limits hold above them.",
  ),
}).meta({ $defs: { MontyObject: toMontySchema({ isOutput: false }) } });

function describe(settings: ServerSettings): string {
  const { allowNet, mounts, memoryMiB } = settings;
  const other = enginesOf(settings).find(({ name }) => name !== ENGINE);
  const more = other
    ? `: run_python_code with engine "${other.name}" has all of it`
    : "";
  return [
    "Runs plain Python in a fresh interpreter that starts in a millisecond: choose it for short code without packages.\n",
    `It is a subset of Python, without packages, inheritance of classes, and yield${more}.`,
    " It returns what was printed, and the value of the last expression with its type.",
    describeNetwork([...allowNet], [
      "http_request(url, method, headers, body), which returns (status, headers, body)",
    ]),
    ` ${
      describeMounts(mounts)
    } Files that it writes to /workspace, by pathlib or open(), come back.`,
    ` Nothing is kept from call to call. Python has ${memoryMiB} MiB of memory and ${settings.timeoutSeconds} s.`,
  ].join("");
}
