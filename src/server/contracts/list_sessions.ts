import { z } from "../../../deps/zod.ts";
import { contract, type OpenContract } from "./contract.ts";
import { toAnswer } from "./tool_answers.ts";

export const openListSessions: OpenContract = ({ sessions, owner, settings }) =>
  settings.sessions
    ? contract({
      name: "list_sessions",
      tool: () => ({
        title: "List sessions",
        description:
          "Lists your sessions of run_python_code, the last used one first.",
        annotations: { readOnlyHint: true, openWorldHint: false },
      }),
      schema: z.strictObject({}),
      answer: () =>
        toAnswer({
          sessions: sessions.list(owner).map((one) => ({ ...one })),
        }),
    })
    : undefined;
