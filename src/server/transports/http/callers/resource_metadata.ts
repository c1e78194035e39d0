import type { HttpSettings } from "../../../../protocol/server_settings.ts";

const PATH = "/.well-known/oauth-protected-resource";

/** The address of a resource's metadata (RFC 9728). */
export function toMetadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${PATH}${pathname === "/" ? "" : pathname}`;
}

/** Tells clients where they get tokens; undefined for other requests. */
export function metadataTeller(
  { oauth, httpPath }: Pick<HttpSettings, "oauth" | "httpPath">,
): (request: Request) => Response | undefined {
  if (!oauth) return () => undefined;
  const { pathname } = new URL(toMetadataUrl(oauth.audience));
  const paths = [PATH, `${PATH}${httpPath}`, pathname];
  return ({ method, url }) => {
    if (method !== "GET" || !paths.includes(new URL(url).pathname)) {
      return undefined;
    }
    return Response.json({
      resource: oauth.audience,
      authorization_servers: [oauth.issuer],
      bearer_methods_supported: ["header"],
      resource_name: "mcp-run-python",
      ...(oauth.scopes.length > 0 ? { scopes_supported: oauth.scopes } : {}),
    });
  };
}
