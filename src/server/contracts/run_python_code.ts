import type { Tool } from "../../../deps/mcp_server.ts";
import { ANY_HOST } from "../../grants/hosts.ts";
import { ENCODED_GLOBALS, fitsEncoded } from "../../protocol/bounds.ts";
import type { RunRequest } from "../../protocol/run_messages.ts";
import { type RunFile, toFileBounds } from "../../protocol/run_files.ts";
import type { Json } from "../../protocol/run_result.ts";
import { head } from "../../results/cut.ts";
import { OUTPUT_SCHEMA } from "../../results/render.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import { FILES_SCHEMA, parseFiles } from "./files_argument.ts";

/** Name of the tool of this contract. */
export const TOOL_NAME = "run_python_code";

const ARGUMENTS = ["python_code", "global_variables", "timeout", "files"];

/** Describes the tool to a client. */
export function toTool(settings: ServerSettings): Tool {
  return {
    name: TOOL_NAME,
    title: "Run Python code",
    description: describe(settings),
    inputSchema: {
      type: "object",
      properties: {
        python_code: {
          type: "string",
          description:
            "Python to run. Top-level await works. The value of the last expression is returned.",
        },
        global_variables: {
          type: "object",
          description: "Names bound before the code runs, with JSON values.",
          default: {},
        },
        timeout: {
          type: "number",
          exclusiveMinimum: 0,
          maximum: settings.maxTimeoutSeconds,
          default: settings.timeoutSeconds,
          description: "Seconds after which the code is stopped.",
        },
        files: FILES_SCHEMA,
      },
      required: ["python_code"],
      additionalProperties: false,
    },
    ...(settings.structured ? { outputSchema: OUTPUT_SCHEMA } : {}),
    annotations: {
      title: "Run Python code",
      readOnlyHint: !isWriting(settings),
      destructiveHint: isWriting(settings),
      idempotentHint: false,
      openWorldHint: settings.allowNet.length > 0,
    },
  };
}

/** Whether anything of the user's can be changed. */
function isWriting({ mounts }: ServerSettings): boolean {
  return mounts.some(({ isWritable }) => isWritable);
}

function describe(
  { environment, allowInstall, allowNet, mounts, fileTools }: ServerSettings,
): string {
  const packages = environment.packages.map(({ name, version, imports }) =>
    imports.length === 0 || imports.length === 1 && imports[0] === name
      ? `${name} ${version}`
      : `${name} ${version} (import ${imports.join(", ")})`
  );
  const installed = packages.length === 0
    ? "The standard library is there, and no other package."
    : `Installed beside the standard library: ${packages.join("; ")}.`;
  return `Runs Python ${environment.python} code in a sandbox${
    allowNet.length === 0 ? " without network" : ""
  }, and returns what it printed and the value of its last expression.${
    describeNetwork(allowNet, environment.packages.map(({ name }) => name))
  } ${
    describeFiles(mounts, fileTools)
  } Plots of matplotlib, images of PIL and what display(object) is given come back as pictures, by themselves. In long work call notify_progress(message, progress, total), which needs no import. ${installed}${
    describeInstalls(allowInstall)
  }`;
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
  const own = mounts.length === 0
    ? "It has no access to the user's files."
    : `Of the user's files it has ${
      mounts.map(({ guest, isWritable }) =>
        `${guest} (${isWritable ? "writable" : "read-only"})`
      ).join(", ")
    }.`;
  const kept = fileTools ? ", and are there in the next call" : "";
  return `${own} Files that it writes to /workspace, its working folder, come back${kept}. All else of each call starts from nothing.`;
}

function describeInstalls(allowed: string[]): string {
  if (allowed.length === 0) return "";
  const which = allowed.includes("*")
    ? "Any package of the index"
    : `Of the index ${allowed.join(", ")}`;
  return ` ${which} can be had by code that begins with inline script metadata, such as:\n# /// script\n# dependencies = ["${
    allowed.includes("*") ? "rich" : allowed[0]
  }"]\n# ///`;
}

/**
 * Reads the arguments of a call.
 *
 * @throws {TypeError | RangeError} If one is unknown, missing, of a wrong type
 * or outside its limits; the message names it.
 */
export function parseCall(
  args: unknown,
  settings: ServerSettings,
): { request: RunRequest; own: RunFile[] } {
  const given = toRecord(args ?? {}, "The arguments");
  for (const name of Object.keys(given)) {
    if (!ARGUMENTS.includes(name)) {
      throw new TypeError(
        `Unknown argument "${head(name, 100)}": ${TOOL_NAME} takes ${
          ARGUMENTS.join(", ")
        }`,
      );
    }
  }
  const request = {
    code: readCode(given.python_code, settings.maxCode),
    globals: readGlobals(given.global_variables ?? {}),
    timeoutMs: readTimeout(given.timeout ?? settings.timeoutSeconds, settings),
  };
  const own = parseFiles(given.files ?? [], toFileBounds(settings));
  return { request, own };
}

function readCode(code: unknown, maxBytes: number): string {
  if (typeof code !== "string") {
    throw new TypeError(`python_code must be a string, not ${kindOf(code)}`);
  }
  const { length } = new TextEncoder().encode(code);
  if (length > maxBytes) {
    throw new RangeError(
      `python_code has ${length} bytes, and may have ${maxBytes} (--max-code): send less code, or its data in global_variables`,
    );
  }
  return code;
}

function readGlobals(globals: unknown): string {
  const names = toRecord(globals, "global_variables");
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

/** Values deeper than this are no data. */
const MAX_DEPTH = 200;

/** JSON can say numbers that are none here, and nest deeper than a stack. */
function refuseUnwritable(value: Json, path: string, depth: number): void {
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

const IDENTIFIER = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;

function readTimeout(
  timeout: unknown,
  { maxTimeoutSeconds }: ServerSettings,
): number {
  if (typeof timeout !== "number") {
    throw new TypeError(
      `timeout must be a number of seconds, not ${kindOf(timeout)}`,
    );
  }
  if (!(timeout > 0 && timeout <= maxTimeoutSeconds)) {
    throw new RangeError(
      `timeout is ${timeout}, and must be above 0 and at most ${maxTimeoutSeconds} seconds (--max-timeout)`,
    );
  }
  return Math.max(1, Math.round(timeout * 1000));
}

/** What JSON can be, beside objects, is refused. */
function toRecord(value: unknown, what: string): Record<string, Json> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TypeError(`${what} must be an object, not ${kindOf(value)}`);
  }
  return { ...value };
}

function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}
