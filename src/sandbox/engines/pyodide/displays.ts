import type { FromWorker, ImageType } from "../../../protocol/messages.ts";
import { roomOfDisplay } from "./backlog.ts";

/**
 * Connects what Python shows to the host.
 *
 * @returns For Python: sends a picture; the host checks what it is.
 */
export function connectDisplays(
  takeRoom: (size: number) => void,
  post: (message: FromWorker) => void,
  flushOutput: () => void,
): (mimeType: ImageType, data: string) => void {
  return (mimeType, data) => {
    const display = { type: "display", mimeType, data: `${data}` } as const;
    // What was printed before comes before.
    flushOutput();
    takeRoom(roomOfDisplay(display));
    post(display);
  };
}
