import type { ImageType } from "../../../protocol/run_messages.ts";
import type { Post } from "./backlog.ts";

/**
 * Connects what Python shows to the host.
 *
 * @returns For Python: sends a picture; the host checks what it is.
 */
export function connectDisplays(
  post: Post,
  flushOutput: () => void,
): (mimeType: ImageType, data: string) => void {
  return (mimeType, data) => {
    const text = `${data}`;
    // What was printed before comes before.
    flushOutput();
    post({ type: "display", mimeType, data: text });
  };
}
