import { hostOf, refusal } from "../../grants/refusal.ts";
import type { Failure, FromNetwork } from "../../protocol/http_exchange.ts";

/** Refuses a request of a run without any granted host. */
export function refuseRequest(address: string): Failure {
  const url = URL.parse(address);
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    const message = `Cannot send a request to "${address}"`;
    return { kind: "invalid", message };
  }
  return { kind: "denied", message: refusal(hostOf(url)) };
}

/** The code does not want the response any more. */
export const DROPPED: Failure = {
  kind: "other",
  message: "The request was ended before its response",
};

/** The failure of a request that has got another answer than it waits for. */
export function toFailure(message: FromNetwork): Failure {
  return message.type === "failed"
    ? message.failure
    : { kind: "other", message: "The network answered out of turn" };
}
