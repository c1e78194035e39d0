import { z } from "../../../deps/zod.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import {
  toCompact,
  toCompactText,
  toToonText,
} from "../../results/code_mode/compact.ts";
import { toPayload } from "../../results/code_mode/payload.ts";
import { checkSize } from "./arguments.ts";
import {
  contract,
  type OpenContract,
  toData,
  toRunAnswer,
} from "./contract.ts";
import { SESSION } from "./session_tools.ts";
import { toRunningAnswer } from "../lasting/running.ts";
import { toWait, waitSchema } from "./wait_argument.ts";

const NAME = "run_python";
/** Characters of a server's name, and names of a call. */
const LONGEST_NAME = 256;
const MOST_NAMES = 1000;

/**
 * The one tool of code mode. Nothing in it grows with what is configured: a model
 * that discovers servers by code pays for those that it needs.
 */
export const openRunPython: OpenContract = ({ settings, codeMode }) =>
  codeMode && contract({
    name: NAME,
    instructions: INSTRUCTIONS,
    tool: () => ({
      title: "Run Python",
      description:
        "Runs Python in a sandbox, where code can call the user's other MCP servers as functions: many calls, loops and filters in one go. Returns what was printed, and the last expression's value.",
      annotations: { destructiveHint: true, openWorldHint: true },
    }),
    schema: toSchema(settings),
    toRequest: async ({ code, servers, timeout, session, wait }) => ({
      request: {
        code: checkSize(code, settings.maxCode, {
          name: "code",
          remedy: "less code",
        }),
        globals: "{}",
        timeoutMs: Math.round(timeout * 1000),
      },
      files: [],
      session,
      servers: await codeMode.choose(servers),
      ...toWait({ wait }),
    }),
    toRunning: (running) =>
      toRunningAnswer(
        running,
        settings.returnMode === "json" ? "json" : "compact",
        settings.structured,
      ),
    async render(run, code) {
      const { streams } = run;
      const call = code && {
        servers: code.servers ?? [],
        timeoutSeconds: code.request.timeoutMs / 1000,
        streams,
      };
      const { returnMode: mode } = settings;
      const payload = toPayload(run.result, call);
      const data = toData(run, settings);
      const whole = data === run.result ? payload : toPayload(data, call);
      if (mode !== "toon" && mode !== "json") {
        const text = toCompactText(payload, run.result);
        const structured = toCompact(whole);
        return toRunAnswer(run, { text, structured }, settings);
      }
      // Programs read JSON, and models TOON.
      const text = mode === "json"
        ? JSON.stringify(toPayload(run.whole ?? run.result, call))
        : await toToonText(payload);
      return toRunAnswer(run, { text, structured: whole }, settings);
    },
  });

const INSTRUCTIONS =
  `Use \`${NAME}\` to compute, and to reach the user's other MCP servers: name them in \`servers\`, and call their tools from Python. Start with \`print(capability_summary())\`, and print only what you need.`;

const CODE = `Top-level await works. Names that are there:
Discover: discovered_servers(detailed=True); await search_tool_docs("words"); await query_tool_docs("server", detail="full")
Call: r = await mcp_<alias>.<tool>(key=value), then r.data or r.text, of a server in servers; asyncio.gather() for many
Errors: MCPError if a call fails; r.is_error if the tool says so
Persist: variables and imports stay; save_tool(func) keeps a function
Remember: save_memory(key, value), load_memory(key)
Manual: print(capability_summary())`;

function toSchema(
  settings: ServerSettings,
) {
  const { timeoutSeconds, maxTimeoutSeconds, sessions, longRuns } = settings;
  const error = ({ input }: { input?: unknown }) =>
    `timeout is ${input}, and must be from 1 to ${maxTimeoutSeconds} seconds (--max-timeout)`;
  // The user's own bound may be below it.
  const least = Math.min(1, timeoutSeconds);
  const schema = z.strictObject({
    code: z.string().describe(CODE),
    servers: z.array(z.string().max(LONGEST_NAME)).max(MOST_NAMES).default([])
      .describe("MCP servers that the code may call, by name."),
    timeout: z.number().min(least, { error }).max(maxTimeoutSeconds, { error })
      .default(timeoutSeconds)
      .describe("Seconds; waiting for servers does not count."),
    session: SESSION.optional().describe(
      '"none": a fresh interpreter; "reset": forget all first; "new" or a handle: another session.',
    ),
    wait: waitSchema(settings),
  });
  return schema.omit({
    ...(sessions ? {} : { session: true }),
    ...(longRuns ? {} : { wait: true }),
  }) as typeof schema;
}
