import { z } from "../../../deps/zod.ts";
import type { Watched } from "../lasting/own_calls.ts";
import { GET_RUN } from "../../protocol/long_runs.ts";
import { describeWrong, parseArguments, toJsonSchema } from "./arguments.ts";
import { type OpenContract, toErrorAnswer } from "./contract.ts";
import { WAIT } from "./wait_argument.ts";

/** Characters of a handle, and more. */
const LONGEST = 200;
/** Below the 60 s after which the official clients give a call up. */
const USUAL_WAIT_SECONDS = 45;
/** The end of the header in which 2026 clients repeat the handle for a load balancer. */
export const RUN_HEADER = "Run";

/** Waits for runs that go on though their calls are answered. */
export const openGetRun: OpenContract = ({ settings }) => {
  if (!settings.longRuns) return undefined;
  const { detachAfterSeconds: usual = USUAL_WAIT_SECONDS } = settings;
  const schema = z.strictObject({
    run: z.string().min(1, "run is empty: give the handle of a run")
      .max(LONGEST).meta({ "x-mcp-header": RUN_HEADER })
      .describe("Its handle."),
    wait: WAIT.default(usual).describe("Seconds to wait for its end."),
    cancel: z.boolean().default(false).describe("Ends it."),
  });
  return {
    name: GET_RUN,
    tool: () => ({
      name: GET_RUN,
      title: "Get a run",
      description:
        "Waits for a run that answered with status running: gives its result, or, if it runs on, what it printed since the last answer.",
      inputSchema: toJsonSchema(schema),
      annotations: { destructiveHint: false, openWorldHint: false },
    }),
    watch(given): Watched | ReturnType<typeof toErrorAnswer> {
      try {
        const { run, wait, cancel } = parseArguments(schema, given);
        return { run, waitMs: wait * 1000, cancels: cancel };
      } catch (error) {
        return toErrorAnswer(describeWrong(error));
      }
    },
  };
};
