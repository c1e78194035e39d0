// The MCP servers that code may call ("downstream"), as processes know them.
import { fields } from "./fields.ts";

/**
 * A downstream server as the user has configured it, with its secrets: launcher
 * and bridge alone know it.
 */
export type ServerEntry =
  & {
    name: string;
    description?: string;
    /** Whether each call may use it without naming it. */
    always?: boolean;
    /** Whether it counts though it is this very program. */
    allowSelf?: boolean;
    /** Says in words where it was found, such as a file's path. */
    source: string;
  }
  & (StdioEntry | HttpEntry);

/** A server that is started as a process. */
export interface StdioEntry {
  transport: "stdio";
  /** A name on the path, or a path. */
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd?: string;
}

/** A server that is reached by streamable HTTP. */
export interface HttpEntry {
  transport: "http";
  url: string;
  headers: Record<string, string>;
}

/** For the `default` of a switch: a new transport does not compile before it. */
export function unknownTransport(entry: never): never {
  throw new TypeError(`There is no such transport: ${JSON.stringify(entry)}`);
}

/** A downstream server as the server process knows it: without secrets. */
export interface ListedServer {
  name: string;
  description?: string;
  /** Whether each call may use it without naming it. */
  always?: boolean;
  transport: ServerEntry["transport"];
  cwd?: string;
  /** Where it was found, in words. */
  source: string;
  /** Hash of its entry without secrets, by which its list of tools is kept. */
  fingerprint: string;
  /** Differs for another entry of the same name; other in each process. */
  revision: string;
}

/** A tool of a downstream server: what that server says, cut and checked. */
export interface DownstreamTool {
  name: string;
  title?: string;
  description?: string;
  /** JSON Schema of an object. */
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations?: ToolAnnotations;
}

export interface ToolAnnotations {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** Reads a tool that a downstream server lists; undefined if it is not a tool. */
export function maybeTool(data: unknown): DownstreamTool | undefined {
  const { name, title, description, inputSchema, outputSchema, annotations } =
    fields(data);
  if (typeof name !== "string" || name === "" || name.length > LONGEST_NAME) {
    return undefined;
  }
  const hints = fields(annotations);
  const said = HINTS.flatMap((hint) =>
    typeof hints[hint] === "boolean" ? [[hint, hints[hint]]] : []
  );
  return {
    name,
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof description === "string" ? { description } : {}),
    inputSchema: fields(inputSchema),
    ...(outputSchema === undefined
      ? {}
      : { outputSchema: fields(outputSchema) }),
    ...(said.length > 0 ? { annotations: Object.fromEntries(said) } : {}),
  };
}

const HINTS = [
  "readOnlyHint",
  "destructiveHint",
  "idempotentHint",
  "openWorldHint",
] as const;

/** Characters of a tool's name. */
const LONGEST_NAME = 256;
