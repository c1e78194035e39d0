import type { DownstreamTool } from "../protocol/downstream.ts";
import type { Json } from "../protocol/run_result.ts";
import { head } from "../results/cut.ts";
import { fields } from "../protocol/fields.ts";
import { boundSchema, type JsonObject } from "./bound_schema.ts";
import { freeNames } from "./identifiers.ts";
import { toDocstring, toPlainText } from "./python_text.ts";
import { PythonTypes } from "./python_types.ts";
import { TypedDicts } from "./typed_dicts.ts";
import {
  maybeDocLine,
  type Parameter,
  toParameters,
  toSignaturePart,
} from "./tool_parameters.ts";

/** Characters of a tool's description. */
const LONGEST_DESCRIPTION = 8000;
/** Characters of a docstring. */
const LONGEST_DOC = 16_000;
/** Characters of a first paragraph. */
const LONGEST_SUMMARY = 300;
/** Characters of a signature's line. */
const LONGEST_LINE = 100;
/** A tool, as Python makes a function of it. */
export type ToolInfo = {
  name: string;
  alias: string;
  description?: string;
  // deno-lint-ignore camelcase
  input_schema: JsonObject;
  // deno-lint-ignore camelcase
  output_schema?: JsonObject;
  annotations?: { [hint: string]: Json };
  /** The docstring. */
  doc: string;
  parameters: Parameter[];
  /** A Python annotation, as text. */
  returns: string;
};

type Owner = "server" | "component";

/**
 * A tool of a downstream server, as Python makes a function of it.
 *
 * @param alias Its name in Python.
 * @param owner Whose function it is: that of a component gives the value itself.
 */
export function toToolInfo(
  tool: DownstreamTool,
  alias: string,
  owner: Owner = "server",
): ToolInfo {
  const read = readTool(tool, alias, owner);
  const { input, output, parameters, returns, classes } = read;
  const types = classes.length > 0 ? ["Types:", ...classes].join("\n\n") : "";
  const doc = [read.description, linesOf(read).join("\n"), types]
    .filter((part) => part !== "").join("\n\n");
  return {
    name: tool.name,
    alias,
    ...(read.description === "" ? {} : { description: read.description }),
    input_schema: input,
    ...(output ? { output_schema: output } : {}),
    ...(tool.annotations ? { annotations: { ...tool.annotations } } : {}),
    doc: toPlainText(doc, LONGEST_DOC),
    parameters,
    returns,
  };
}

/**
 * A typed stub of a tool: valid Python, whatever its server says.
 *
 * @param alias Its name in Python.
 */
export function toStub(
  tool: DownstreamTool,
  alias: string,
  owner: Owner = "server",
): string {
  const read = readTool(tool, alias, owner);
  const { parameters, more, returns, classes } = read;
  const parts = [
    ...parameters.map(toSignaturePart),
    ...(more > 0 ? [`**${nameOfRest(parameters)}: Any`] : []),
  ];
  const isAny = parameters.length > 0 ? "*, " : "";
  const def = owner === "component" ? "def" : "async def";
  const gives = returns === "" ? "" : ` -> ${returns}`;
  const line = `${def} ${alias}(${isAny}${parts.join(", ")})${gives}:`;
  const signature = line.length <= LONGEST_LINE
    ? line
    : `${def} ${alias}(\n${
      (isAny ? ["*", ...parts] : parts).map((part) => `    ${part},\n`).join("")
    })${gives}:`;
  const doc = [toSummary(read.description), linesOf(read).join("\n")]
    .filter((part) => part !== "").join("\n\n");
  const body = doc === ""
    ? "    ..."
    : toDocstring(toPlainText(doc, LONGEST_DOC), "    ");
  return [...classes, `${signature}\n${body}`].join("\n\n");
}

/** The first paragraph of a description. */
export function toSummary(description: string): string {
  const [first = ""] = description.split(/\n\s*\n/, 1);
  const plain = toPlainText(head(first, 2 * LONGEST_SUMMARY), Infinity);
  if (plain.length <= LONGEST_SUMMARY) return plain;
  return `${head(plain, LONGEST_SUMMARY - 1).trimEnd()}…`;
}

/** A tool's description, bounded; its title if it has none. */
export function toDescription({ title, description }: DownstreamTool): string {
  const text = description?.trim() ? description : title ?? "";
  return toPlainText(text, LONGEST_DESCRIPTION);
}

function readTool(tool: DownstreamTool, alias: string, owner: Owner) {
  const classes = new TypedDicts();
  const input = boundSchema(tool.inputSchema);
  const output = tool.outputSchema && boundSchema(tool.outputSchema);
  const { parameters, more } = toParameters(
    input,
    new PythonTypes(input, classes),
  );
  const given = owner === "component"
    ? fields(output?.properties).result
    : output;
  const data = output && given !== undefined
    ? new PythonTypes(output, classes).of(
      given as JsonObject,
      `${alias} result`,
    )
    : undefined;
  return {
    description: toDescription(tool),
    input,
    output,
    parameters,
    more,
    // That of a server is a dictionary in both cases; its attribute `data` is typed.
    returns: owner === "component"
      ? data ?? ""
      : data === undefined
      ? "dict"
      : `Result[${data}]`,
    classes: classes.sources,
  };
}

function linesOf({ parameters, more }: ReturnType<typeof readTool>): string[] {
  const rest = more > 0
    ? [
      `${
        nameOfRest(parameters)
      }: ${more} more parameters, which the input schema lists`,
    ]
    : [];
  return [...parameters.flatMap((one) => maybeDocLine(one) ?? []), ...rest];
}

/** A server may have called one of its parameters so. */
function nameOfRest(parameters: readonly Parameter[]): string {
  return freeNames(parameters.map(({ name }) => name))("more");
}

/** How much a document says. */
export const DETAILS = ["summary", "full"] as const;

export type Detail = typeof DETAILS[number];

/** Documents a tool for a model: a summary, or all of it with its stub. */
export function toToolDoc(
  tool: DownstreamTool,
  names: { server: string; serverAlias: string; toolAlias: string },
  detail: Detail,
) {
  const whole = toDescription(tool);
  const description = detail === "full" ? whole : toSummary(whole);
  const { server, serverAlias, toolAlias } = names;
  return {
    server,
    serverAlias,
    tool: tool.name,
    toolAlias,
    ...(description === "" ? {} : { description }),
    ...(detail === "full"
      ? {
        inputSchema: boundSchema(tool.inputSchema),
        stub: toStub(tool, toolAlias),
      }
      : {}),
  };
}
