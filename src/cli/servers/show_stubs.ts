import { EXIT, usageError, UserError } from "../../errors.ts";
import type { ServerEntry } from "../../protocol/downstream.ts";
import { didYouMean } from "../did_you_mean.ts";
import type { DownstreamTools } from "../downstream_tools.ts";
import { askEach } from "./each_server.ts";

/**
 * Prints the Python stubs of a server, or of one tool.
 *
 * @throws {UserError} If the server fails, or has no tool of this name.
 */
export async function showStubs(
  entry: ServerEntry,
  toolName: string | undefined,
  { tell, ...tools }: DownstreamTools & { tell: (lines: string[]) => void },
): Promise<number> {
  const [asked] = await askEach([entry], tools);
  if (!asked || "failure" in asked) {
    throw new UserError(
      `Cannot ask ${entry.name} for its tools: ${asked?.failure}`,
    );
  }
  const { told } = asked;
  const tool = told.tools.find(({ name }) => name === toolName);
  if (toolName !== undefined && !tool) {
    const names = told.tools.map(({ name }) => name);
    throw usageError(
      `Cannot find the tool "${toolName}" of ${entry.name}.${
        didYouMean(toolName, names) || ` It has ${names.join(", ")}.`
      }`,
    );
  }
  const stubs = tools.stubsOf({ name: entry.name, ...told }, tool);
  tell(stubs.trimEnd().split("\n"));
  return EXIT.ok;
}
