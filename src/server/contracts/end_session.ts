import { z } from "../../../deps/zod.ts";
import { contract, type OpenContract } from "./contract.ts";
import { sessionOrDefault } from "./session_argument.ts";
import { toAnswer } from "./tool_answers.ts";

export const openEndSession: OpenContract = ({ sessions, owner, settings }) =>
  settings.sessions
    ? contract({
      name: "end_session",
      tool: () => ({
        title: "End a session",
        description:
          "Ends a session of run_python_code, with its variables and files.",
        annotations: { destructiveHint: true, openWorldHint: false },
      }),
      schema: z.strictObject({
        session: sessionOrDefault(settings.stateful),
      }),
      answer: async ({ session }) =>
        toAnswer({ ended: { ...await sessions.end(session, owner) } }),
    })
    : undefined;
