import { concat } from "../../../../protocol/lines.ts";
import { exchangeOf } from "../listener/exchanges.ts";
import { refuseHttp } from "../refusals.ts";

/**
 * Reads a body; gives the answer to one that is too large, or breaks off.
 *
 * @param take Takes the bytes that have come, and tells whether there is room.
 */
export async function readBody(
  request: Request,
  maxBytes: number,
  take: (bytes: number) => boolean,
): Promise<Uint8Array<ArrayBuffer> | Response> {
  const tooLarge = () =>
    refuseHttp(
      413,
      `Cannot take a body of more than ${maxBytes} bytes: send less, or mount a folder with --mount.`,
      { connection: "close" },
    );
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) {
    return tooLarge();
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    for await (const chunk of exchangeOf(request).body ?? []) {
      size += chunk.length;
      if (size > maxBytes) return tooLarge();
      if (!take(size)) return refuseHttp(429, NO_ROOM, NO_ROOM_HEADERS);
      chunks.push(chunk);
    }
  } catch {
    return refuseHttp(400, "The body broke off: send the request again.");
  }
  return concat(chunks);
}

const NO_ROOM =
  "Cannot take this body as those of calls under way fill the memory that there is for them (16 of the largest): wait for an answer, or send less.";
const NO_ROOM_HEADERS = { "retry-after": "1", connection: "close" };
