import { z } from "../../../deps/zod.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import { GET_RUN } from "../../protocol/long_runs.ts";
import { show } from "./arguments.ts";

/** A client has given up long before. */
const MOST_SECONDS = 3600;

/** Seconds that a request waits for the end of a run. */
export function waitSchema(
  { detachAfterSeconds }: Pick<ServerSettings, "detachAfterSeconds">,
) {
  const usual = detachAfterSeconds === undefined
    ? ""
    : ` ${detachAfterSeconds} if not said.`;
  return WAIT.optional().describe(
    `Seconds to wait for the end. Code that takes longer runs on: the answer has status running and run, a handle for ${GET_RUN}.${usual}`,
  );
}

const error = ({ input }: { input?: unknown }) =>
  `wait is ${show(input)}, and must be from 0 to ${MOST_SECONDS} seconds`;

export const WAIT = z.number({ error }).min(0, { error })
  .max(MOST_SECONDS, { error });

export function toWait(
  { wait }: { wait?: number | undefined },
): { waitMs?: number } {
  return wait === undefined ? {} : { waitMs: wait * 1000 };
}
