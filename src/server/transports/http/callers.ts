import type { HttpSettings } from "../../../protocol/server_settings.ts";
import type { Owner } from "../../sessions/kept_session.ts";

/** Where a request comes from, as far as it has proved that. */
export interface Caller {
  /** Owns sessions and files. */
  name: string;
  /** Whether a credential tells it from other clients. */
  isKnown: boolean;
}

/** All clients of a server without tokens. */
const LOCAL: Caller = { name: "local", isKnown: false };

/** Tells callers by their credentials. */
export class Callers {
  constructor(_settings: Pick<HttpSettings, "tokens" | "oauth">) {}

  /** The caller of a request; or the answer to a request without a good credential. */
  identify(_request: Request): Promise<Caller | Response> {
    return Promise.resolve(LOCAL);
  }
}

/** @param session Id of the MCP session, which 2025 clients have. */
export function toOwner({ name, isKnown }: Caller, session?: string): Owner {
  return { name, connection: session ?? (isKnown ? name : undefined) };
}
