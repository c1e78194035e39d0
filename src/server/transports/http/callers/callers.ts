import { sha256 } from "../../../../disk.ts";
import { exchangeOf } from "../listener/exchange.ts";
import type {
  HttpSettings,
  NamedToken,
} from "../../../../protocol/server_settings.ts";
import type { Owner } from "../../../sessions/kept_session.ts";
import { refusedBy, refuseHttp } from "../refusals.ts";
import { createHash, timingSafeEqual } from "node:crypto";

/** Where a request comes from, as far as it has proved that. */
export interface Caller {
  /** Owns sessions and files. */
  name: string;
  /** Whether a credential tells it from other clients. */
  isKnown: boolean;
}

/** All clients of a server without tokens. */
const LOCAL: Caller = { name: "local", isKnown: false };

/** Whether credentials tell clients apart. */
export function knowsCallers(
  { tokens, oauth }: Pick<HttpSettings, "tokens" | "oauth">,
): boolean {
  return tokens.length > 0 || oauth !== undefined;
}

type CallerSettings = Pick<HttpSettings, "tokens" | "oauth" | "callerHeader">;

/** A longer token is not looked at. */
const MOST_CHARS = 8192;
/** A longer name of a user is known by its hash. */
const LONGEST_NAME = 200;

/** The caller of a request; or the answer to a request without a good credential. */
export type Identify = (request: Request) => Promise<Caller | Response>;

/** Tells callers by their credentials. */
export async function openCallers(
  settings: CallerSettings,
): Promise<Identify> {
  if (!knowsCallers(settings)) return () => Promise.resolve(LOCAL);
  const { oauth, callerHeader } = settings;
  const check = oauth &&
    (await import("./access_tokens.ts")).accessTokenChecker(oauth);
  return async (request) => {
    const { headers } = request;
    const given = headers.get("authorization");
    if (given === null) {
      return refuse(
        401,
        "This server needs a token: send it as Authorization: Bearer TOKEN.",
      );
    }
    const [, token = ""] = /^Bearer +([\w.~+/-]+=*) *$/i.exec(given) ?? [];
    if (token === "" || token.length > MOST_CHARS) return refuseToken();
    // They change while it serves.
    const name = maybeTokenName(token, settings.tokens);
    if (name === undefined) return await identifyUser(token, request);
    if (callerHeader === undefined) return { name, isKnown: true };
    const named = maybeNamedCaller(name, headers.get(callerHeader));
    if (named !== undefined) return { name: named, isKnown: true };
    return refusedBy(
      "--caller-header",
      refuseHttp(
        403,
        `This request names no caller: the proxy must send one ${callerHeader} of 1 to 200 visible characters of ASCII, without commas.`,
      ),
    );
  };

  async function identifyUser(
    token: string,
    request: Request,
  ): Promise<Caller | Response> {
    const verdict = await check?.(token) ?? { error: "invalid_token" };
    if ("subject" in verdict) {
      return { name: toUserName(verdict.subject), isKnown: true };
    }
    switch (verdict.error) {
      case "invalid_token":
        return refuseToken();
      case "insufficient_scope":
        return refuse(
          403,
          "This token lacks a scope that this server needs.",
          verdict.error,
        );
      case "unavailable":
        exchangeOf(request).reason = verdict.reason;
        return refuseHttp(
          503,
          "Cannot check this token now, as its issuer does not answer: try again soon.",
          { "retry-after": "5" },
        );
    }
  }

  function refuseToken(): Response {
    return refuse(
      401,
      "This token is not good here: it is unknown, has expired or is for another server.",
      "invalid_token",
    );
  }

  /** Says by the headers of RFC 6750 and RFC 9728 how to get a good token. */
  function refuse(status: number, message: string, error?: string): Response {
    const facts = {
      realm: "mcp-run-python",
      error,
      scope: oauth?.scopes.join(" ") || undefined,
      "resource_metadata": oauth && toMetadataUrl(oauth.audience),
    };
    const told = Object.entries(facts).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}="${value}"`]
    );
    const option = status === 403
      ? "--oauth-scope"
      : oauth
      ? "--oauth-issuer"
      : "--token-file";
    const headers = { "www-authenticate": `Bearer ${told.join(", ")}` };
    return refusedBy(option, refuseHttp(status, message, headers));
  }
}

/** The name of a user, which no token of a file and no other user can have. */
export function toUserName(subject: string): string {
  if (subject.length <= LONGEST_NAME) return `oauth:${subject}`;
  return `oauth-sha256:${sha256(subject)}`;
}

/** @param session Id of the MCP session, which 2025 clients have. */
export function toOwner({ name, isKnown }: Caller, session?: string): Owner {
  const connection = session ?? (isKnown ? name : undefined);
  // Clients without a credential do not trust each other.
  return { name, connection, realm: isKnown ? name : session };
}

/**
 * Visible characters of ASCII. A comma would let two headers pass for one name,
 * as they are read as one, with a comma between.
 */
const NAME = /^[!-+\--~]{1,200}$/;

/**
 * The name of the caller that a holder of a token names: a name of its own, which no
 * other token and no user of an issuer can have.
 *
 * @param token Name of the token, which has no slash.
 * @param named Value of the header; null without one.
 * @returns Undefined if it names none.
 */
export function maybeNamedCaller(
  token: string,
  named: string | null,
): string | undefined {
  return named !== null && NAME.test(named) ? `${token}/${named}` : undefined;
}

/** Compares each known token, in a time that does not depend on the token. */
function maybeTokenName(
  token: string,
  tokens: readonly NamedToken[],
): string | undefined {
  const hash = createHash("sha256").update(token).digest();
  return tokens.filter(({ sha256 }) =>
    timingSafeEqual(Uint8Array.fromHex(sha256), hash)
  )[0]?.name;
}

const PATH = "/.well-known/oauth-protected-resource";

/** The address of a resource's metadata (RFC 9728). */
export function toMetadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${PATH}${pathname === "/" ? "" : pathname}`;
}

/** Tells clients where they get tokens. */
export function metadataRoutes(
  { oauth, httpPath }: Pick<HttpSettings, "oauth" | "httpPath">,
): Record<string, () => Response> {
  if (!oauth) return {};
  const { pathname } = new URL(toMetadataUrl(oauth.audience));
  const tell = () =>
    Response.json({
      resource: oauth.audience,
      authorization_servers: [oauth.issuer],
      bearer_methods_supported: ["header"],
      resource_name: "mcp-run-python",
      ...(oauth.scopes.length > 0 ? { scopes_supported: oauth.scopes } : {}),
    });
  return { [PATH]: tell, [`${PATH}${httpPath}`]: tell, [pathname]: tell };
}
