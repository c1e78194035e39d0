import { OAuth2Server } from "../../deps/oauth_issuer.ts";

/** A real issuer over loopback. */
export interface Issuer extends AsyncDisposable {
  url: string;
  keys: OAuth2Server["issuer"]["keys"];
  /** Makes a good token of Ada's, with other claims and header where they are named. */
  makeToken(
    claims?: Record<string, unknown>,
    header?: Record<string, unknown>,
  ): Promise<string>;
  /** Puts a new key in the place of all others. */
  rotate(): Promise<void>;
}

/** Starts an issuer whose tokens are for an audience. */
export async function startIssuer(audience: string): Promise<Issuer> {
  const server = new OAuth2Server();
  const { issuer, service } = server;
  const keyId = () => crypto.randomUUID();
  let { kid } = await issuer.keys.generate("RS256", { kid: keyId() });
  const good = () => ({ aud: audience, sub: "ada", scope: "other python:run" });
  // Of clients that ask it for a token.
  service.on("beforeTokenSigning", ({ payload }) => {
    Object.assign(payload, good());
  });
  await server.start(0, "127.0.0.1");
  return {
    url: issuer.url ?? "",
    keys: issuer.keys,
    makeToken: (claims = {}, changes = {}) =>
      issuer.buildToken({
        kid,
        scopesOrTransform: (header, payload) => {
          Object.assign(header, changes);
          Object.assign(payload, good(), claims);
        },
      }),
    async rotate() {
      ({ kid } = await issuer.keys.generate("ES256", { kid: keyId() }));
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
