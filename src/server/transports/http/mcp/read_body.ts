import { concat } from "../../../../protocol/lines.ts";
import { refuseHttp } from "../refusals.ts";

/** Reads a body; gives the answer to one that is too large, or breaks off. */
export async function readBody(
  request: Request,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | Response> {
  const tooLarge = () =>
    refuseHttp(
      413,
      `Cannot take a body of more than ${maxBytes} bytes: send less, or start the server with a larger --max-body.`,
      { connection: "close" },
    );
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) {
    return tooLarge();
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.length;
      if (size > maxBytes) return tooLarge();
      chunks.push(chunk);
    }
  } catch {
    return refuseHttp(400, "The body broke off: send the request again.");
  }
  return concat(chunks);
}
