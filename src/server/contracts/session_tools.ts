import { z } from "../../../deps/zod.ts";
import { contract, type OpenContract, toAnswer } from "./contract.ts";

/** Characters of a handle, and more. */
const LONGEST = 200;

/**
 * The end of the header `Mcp-Param-Session`, in which 2026 clients repeat the argument
 * for a load balancer (SEP-2243).
 */
export const SESSION_HEADER = "Session";

/** A handle, as an argument of a tool that is about a session. */
export const SESSION: z.ZodString = z.string()
  .min(1, "session is empty: leave it out, or give a handle").max(LONGEST)
  .meta({ "x-mcp-header": SESSION_HEADER });

export const openSessionTools: OpenContract = (connection) => {
  const { sessions, owner, settings } = connection;
  if (!settings.sessions) return [];
  const schema = z.strictObject({
    session: settings.stateful
      ? SESSION.optional().describe("The default session if not said.")
      : SESSION,
  });
  return [
    contract({
      name: "list_sessions",
      tool: () => ({
        title: "List sessions",
        description:
          "Lists your sessions of run_python_code, the last used one first.",
        annotations: { readOnlyHint: true, openWorldHint: false },
      }),
      schema: z.strictObject({}),
      answer: () =>
        toAnswer({ sessions: sessions.list(owner).map((one) => ({ ...one })) }),
    }),
    contract({
      name: "fork_session",
      tool: () => ({
        title: "Copy a session",
        description:
          "Copies a session of run_python_code with all its state, to try something in the copy; gives the copy's handle.",
        annotations: { destructiveHint: false, openWorldHint: false },
      }),
      schema,
      answer: async ({ session }) =>
        toAnswer({ session: await sessions.fork(session, owner) }),
    }),
    contract({
      name: "end_session",
      tool: () => ({
        title: "End a session",
        description:
          "Ends a session of run_python_code, with its variables and files.",
        annotations: { destructiveHint: true, openWorldHint: false },
      }),
      schema,
      answer: async ({ session }) =>
        toAnswer({ ended: { ...await sessions.end(session, owner) } }),
    }),
  ];
};
