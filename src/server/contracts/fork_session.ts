import { z } from "../../../deps/zod.ts";
import { contract, type OpenContract } from "./contract.ts";
import { sessionOrDefault } from "./session_argument.ts";
import { toAnswer } from "./tool_answers.ts";

export const openForkSession: OpenContract = ({ sessions, owner, settings }) =>
  settings.sessions
    ? contract({
      name: "fork_session",
      tool: () => ({
        title: "Copy a session",
        description:
          "Copies a session of run_python_code with all its state, to try something in the copy; gives the copy's handle.",
        annotations: { destructiveHint: false, openWorldHint: false },
      }),
      schema: z.strictObject({
        session: sessionOrDefault(settings.stateful),
      }),
      answer: async ({ session }) =>
        toAnswer({ session: await sessions.fork(session, owner) }),
    })
    : undefined;
