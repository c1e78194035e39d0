import { hostOf, refusal } from "../../grants/refusal.ts";
import type { Failure } from "../../protocol/http_exchange.ts";

/** Refuses a request of a run without any granted host. */
export function refuseRequest(address: string): Failure {
  const url = URL.parse(address);
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    const message = `Cannot send a request to "${address}"`;
    return { kind: "invalid", message };
  }
  return { kind: "denied", message: refusal(hostOf(url)) };
}
