import type { FailureKind } from "../protocol/bridge_messages.ts";

/** A request that gets no result. */
export class Refused extends Error {
  constructor(readonly kind: FailureKind, message: string) {
    super(message);
  }
}
