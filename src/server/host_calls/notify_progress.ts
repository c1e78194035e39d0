import { type HostCall, hostCall } from "./host_call.ts";
import { parseProgress } from "./parse_progress.ts";

/** `notify_progress(message, progress=None, total=None)`. */
export const notifyProgress: HostCall = hostCall({
  name: "notify_progress",
  parse: parseProgress,
  answer(progress, { run }) {
    run.onProgress?.(progress);
    return null;
  },
});
