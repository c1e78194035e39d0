import { assertEquals } from "../../../../../deps/assert.ts";
import {
  exportSPKI,
  importJWK,
  SignJWT,
  UnsecuredJWT,
} from "../../../../../deps/jose.ts";
import {
  type Issuer,
  startIssuer,
} from "../../../../../test/support/oauth_issuer.ts";
import { accessTokenChecker } from "./access_tokens.ts";

const AUDIENCE = "https://python.example.com/mcp";
const ADA = { subject: "ada" };
const INVALID = { error: "invalid_token" };
const now = () => Math.floor(Date.now() / 1000);

function checkerOf({ url }: Issuer, scopes: string[] = ["python:run"]) {
  const jwksUri = `${url}/jwks`;
  const settings = { issuer: url, jwksUri, audience: AUDIENCE, scopes };
  return accessTokenChecker(settings);
}

Deno.test("accessTokenChecker() takes a good token alone", async () => {
  await using issuer = await startIssuer(AUDIENCE);
  await using other = await startIssuer(AUDIENCE);
  const check = checkerOf(issuer);
  const good: [object, object?][] = [
    [{}],
    [{ aud: ["https://other.example", AUDIENCE] }],
    [{ scope: undefined, scp: ["python:run"] }],
    [{ exp: now() - 5, nbf: now() + 5 }],
    ...["at+jwt", "application/at+jwt", "jwt", undefined].map((
      typ,
    ): [object, object] => [{}, { typ }]),
  ];
  for (const [claims, header] of good) {
    const token = await issuer.makeToken({ ...claims }, { ...header });
    assertEquals(await check(token), ADA, JSON.stringify([claims, header]));
  }
  const wrong: [object, object?][] = [
    [{ aud: "https://other.example/mcp" }],
    [{ aud: `${AUDIENCE}/` }],
    [{ aud: undefined }],
    [{ aud: [] }],
    [{ iss: other.url }],
    [{ iss: `${issuer.url}/` }],
    [{ iss: undefined }],
    [{ exp: now() - 60 }],
    [{ exp: undefined }],
    [{ exp: "never" }],
    [{ nbf: now() + 60 }],
    [{ sub: undefined }],
    [{ sub: "" }],
    [{ sub: ["ada"] }],
    [{ sub: { length: 3 } }],
    [{ sub: 7 }],
    [{}, { typ: "id+jwt" }],
    [{}, { typ: "logout+jwt" }],
    [{}, { kid: "unknown" }],
  ];
  for (const [claims, header] of wrong) {
    const token = await issuer.makeToken({ ...claims }, { ...header });
    assertEquals(await check(token), INVALID, JSON.stringify([claims, header]));
  }
  for (const scope of ["", "python", "python:run2", undefined]) {
    const token = await issuer.makeToken({ scope });
    assertEquals(await check(token), { error: "insufficient_scope" });
  }
  const none = await issuer.makeToken({ scope: undefined });
  assertEquals(await checkerOf(issuer, [])(none), ADA);
  assertEquals(
    await check(await other.makeToken({ iss: issuer.url })),
    INVALID,
  );
});

Deno.test("accessTokenChecker() takes no token that its issuer did not sign", async () => {
  await using issuer = await startIssuer(AUDIENCE);
  const check = checkerOf(issuer);
  const good = await issuer.makeToken();
  assertEquals(await check(good), ADA);
  const [head = "", body = "", signature = ""] = good.split(".");
  const claims = JSON.parse(
    atob(body.replaceAll("-", "+").replaceAll("_", "/")),
  );
  const [key] = issuer.keys.toJSON();
  const { kid = "" } = key ?? {};
  const publicKey = await importJWK({ ...key }, "RS256", { extractable: true });
  if (publicKey instanceof Uint8Array) throw new TypeError("A secret key");
  const pem = await exportSPKI(publicKey);
  const modulus = String(key?.n);
  const byPublicKey = (secret: string) =>
    new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid })
      .sign(new TextEncoder().encode(secret));
  const forged = [
    new UnsecuredJWT(claims).encode(),
    `${btoa('{"alg":"none"}').replaceAll("=", "")}.${body}.`,
    `${head}.${body}.`,
    `${head}.${body}`,
    `${head}.${body}.${signature}x`,
    `${head}.${
      btoa(JSON.stringify({ ...claims, sub: "root" })).replaceAll("=", "")
    }.${signature}`,
    await byPublicKey(pem),
    await byPublicKey(modulus),
    await byPublicKey(JSON.stringify(key)),
    ...["", ".", "..", "a.b.c", "null"],
  ];
  for (const token of forged) {
    assertEquals(await check(token), INVALID, token);
  }
});

Deno.test("accessTokenChecker() learns new keys, and says when it cannot", async () => {
  const issuer = await startIssuer(AUDIENCE);
  const check = checkerOf(issuer);
  assertEquals(await check(await issuer.makeToken()), ADA);
  await issuer.rotate();
  const token = await issuer.makeToken();
  // It does not ask for keys again at once.
  while ("error" in await check(token)) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await issuer[Symbol.asyncDispose]();
  const fresh = checkerOf(issuer);
  const verdict = await fresh(token);
  assertEquals("error" in verdict && verdict.error, "unavailable");
});

Deno.test("accessTokenChecker() says of an issuer that never answers that it is not there, and not that the token is wrong", async () => {
  await using issuer = await startIssuer(AUDIENCE);
  const token = await issuer.makeToken();
  const ending = new AbortController();
  const silent = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {}, signal: ending.signal },
    () => new Promise<Response>(() => {}),
  );
  const check = accessTokenChecker({
    ...{ issuer: issuer.url, audience: AUDIENCE, scopes: [] },
    jwksUri: `http://127.0.0.1:${silent.addr.port}/jwks`,
  });
  const verdict = await check(token);
  assertEquals("error" in verdict && verdict.error, "unavailable");
  ending.abort();
});
