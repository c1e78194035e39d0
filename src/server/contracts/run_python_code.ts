import { z } from "../../../deps/zod.ts";
import { ANY_HOST } from "../../grants/hosts.ts";
import { ENCODED_GLOBALS, fitsEncoded } from "../../protocol/bounds.ts";
import type { FileBounds } from "../../protocol/run_files.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import { head } from "../../results/cut.ts";
import { OUTPUT_SCHEMA } from "../../results/output_schema.ts";
import { toStructured, toText } from "../../results/render.ts";
import { toBlock } from "../../results/result_images.ts";
import { anyObject } from "./arguments.ts";
import { contract, type OpenContract } from "./contract.ts";
import { filesSchema, toFiles } from "./files_argument.ts";

const NAME = "run_python_code";

export const openRunPythonCode: OpenContract = ({ settings, files }) => {
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
        code: checkSize(args.python_code, settings.maxCode),
        globals: toGlobals(args.global_variables),
        timeoutMs: Math.max(1, Math.round(args.timeout * 1000)),
      },
      files: files.forRun(toFiles(args.files, files.bounds)),
    }),
    render: ({ result, blocks }) => ({
      content: [
        { type: "text", text: toText(result, settings.returnMode) },
        ...(result.images ?? []).map(toBlock),
        ...blocks,
      ],
      isError: result.status !== "success",
      ...(settings.structured
        ? { structuredContent: toStructured(result) }
        : {}),
    }),
  });
};

function toSchema(
  { timeoutSeconds, maxTimeoutSeconds }: ServerSettings,
  bounds: FileBounds,
) {
  const error = ({ input }: { input?: unknown }) =>
    `timeout is ${input}, and must be above 0 and at most ${maxTimeoutSeconds} seconds (--max-timeout)`;
  return z.strictObject({
    python_code: z.string().describe(
      "Python to run. Top-level await works. The value of the last expression is returned.",
    ),
    global_variables: anyObject().default({})
      .describe("Names bound before the code runs, with JSON values."),
    timeout: z.number().gt(0, { error }).max(maxTimeoutSeconds, { error })
      .default(timeoutSeconds)
      .describe("Seconds after which the code is stopped."),
    files: filesSchema(bounds),
  });
}

function toInstructions({ fileTools }: ServerSettings): string {
  const lost = fileTools ? "variables" : "variables, files";
  return `Use \`${NAME}\` whenever exact computation, data handling, plots or text processing help: it runs Python in a sandbox and returns what was printed, the value of the last expression, pictures and files. Every call starts from nothing: no ${lost} or imports are kept, so send complete code each time.`;
}

function describe(
  { environment, allowInstall, allowNet, mounts, fileTools }: ServerSettings,
): string {
  const packages = environment?.packages ?? [];
  const texts = packages.map(({ name, version, imports }) =>
    imports.length === 0 || imports.length === 1 && imports[0] === name
      ? `${name} ${version}`
      : `${name} ${version} (import ${imports.join(", ")})`
  );
  const installed = packages.length === 0
    ? "The standard library is there, and no other package."
    : `Installed beside the standard library: ${texts.join("; ")}.`;
  const names = packages.map(({ name }) => name);
  return [
    `Runs Python ${environment?.python ?? ""} code in a sandbox`,
    allowNet.length === 0 ? " without network" : "",
    ", and returns what it printed and the value of its last expression.",
    describeNetwork(allowNet, names),
    ` ${describeFiles(mounts, fileTools)}`,
    " Plots of matplotlib, images of PIL and what display(object) is given come back as pictures, by themselves.",
    " In long work call notify_progress(message, progress, total), which needs no import.",
    ` ${installed}${describeInstalls(allowInstall)}`,
  ].join("");
}

function describeNetwork(hosts: string[], packages: string[]): string {
  if (hosts.length === 0) return "";
  const others = hosts.filter((host) => host !== ANY_HOST);
  const which = hosts.includes(ANY_HOST)
    ? ["any host of the internet", ...others].join(", and ")
    : `these hosts only: ${hosts.join(", ")}`;
  const ways = [
    ...["urllib.request", "pyodide.http"],
    ...["requests", "httpx"].filter((name) => packages.includes(name)),
  ];
  return ` It reaches ${which}; over HTTP and HTTPS, by ${ways.join(", ")}.`;
}

function describeFiles(
  mounts: ServerSettings["mounts"],
  fileTools: boolean,
): string {
  const shared = mounts.map(({ guest, isWritable }) =>
    `${guest} (${isWritable ? "writable" : "read-only"})`
  );
  const own = mounts.length === 0
    ? "It has no access to the user's files."
    : `Of the user's files it has ${shared.join(", ")}.`;
  const kept = fileTools ? ", and are there in the next call" : "";
  return `${own} Files that it writes to /workspace, its working folder, come back${kept}. All else of each call starts from nothing.`;
}

function describeInstalls(allowed: string[]): string {
  if (allowed.length === 0) return "";
  const [which, example] = allowed.includes("*")
    ? ["Any package of the index", "rich"]
    : [`Of the index ${allowed.join(", ")}`, allowed[0]];
  return ` ${which} can be had by code that begins with inline script metadata, such as:\n# /// script\n# dependencies = ["${example}"]\n# ///`;
}

function checkSize(code: string, maxBytes: number): string {
  const { length } = new TextEncoder().encode(code);
  if (length <= maxBytes) return code;
  throw new RangeError(
    `python_code has ${length} bytes, and may have ${maxBytes} (--max-code): send less code, or its data in global_variables`,
  );
}

function toGlobals(names: Record<string, unknown>): string {
  const bad = Object.keys(names).find((name) => !IDENTIFIER.test(name));
  if (bad !== undefined) {
    throw new TypeError(
      `global_variables has "${head(bad, 100)}", which is not a Python name`,
    );
  }
  refuseUnwritable(names, "global_variables", MAX_DEPTH);
  const text = JSON.stringify(names);
  if (fitsEncoded(text, ENCODED_GLOBALS)) return text;
  throw new RangeError(
    `global_variables is too large: as JSON in JSON it may have ${ENCODED_GLOBALS} bytes, and ${text.length} characters become more. Send less, or a file`,
  );
}

const IDENTIFIER = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;

/** Lists and objects in each other that a variable may have. */
const MAX_DEPTH = 200;

/** Refuses numbers that JSON text cannot have, and depth that fills a stack. */
function refuseUnwritable(value: unknown, path: string, depth: number): void {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new RangeError(
      `${head(path, 100)} is a number that is too large: send a string`,
    );
  }
  if (typeof value !== "object" || value === null) return;
  if (depth === 0) {
    throw new RangeError(`${head(path, 100)}… is nested too deep`);
  }
  for (const [key, child] of Object.entries(value)) {
    refuseUnwritable(child, `${path}.${key}`, depth - 1);
  }
}
