import type { ImageType } from "../../../protocol/displays.ts";
import type { Post } from "./backlog.ts";

/**
 * Connects Python's pictures to the host.
 *
 * @returns For Python: sends a picture, which the host checks.
 */
export function connectDisplays(
  post: Post,
  flushOutput: () => void,
): (mimeType: ImageType, data: string) => void {
  return (mimeType, data) => {
    const text = `${data}`;
    // Output that was printed before a picture comes before it.
    flushOutput();
    post({ type: "display", mimeType, data: text });
  };
}
