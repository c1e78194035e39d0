import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assertEquals, assertRejects } from "../../deps/assert.ts";
import { tempFolder } from "../../test/support/folder.ts";
import { saying } from "../../test/support/user_error.ts";
import { startIssuer } from "../../test/support/oauth_issuer.ts";
import { EXIT } from "../errors.ts";
import { DEFAULTS, type Settings } from "../settings.ts";
import { toMetadataUrls } from "./find_issuer.ts";
import { toHttpSettings } from "./http_settings.ts";
import { isLoopback, toAllowedHosts } from "./listen_address.ts";

const SETTINGS = { ...DEFAULTS, cacheDir: "/c" };
const toSettings = (settings: Partial<Settings> = {}) =>
  toHttpSettings({ ...SETTINGS, ...settings }, false);

function assertRefused(
  settings: Partial<Settings>,
  reason: string,
): Promise<void> {
  return assertRejects(
    () => toSettings(settings),
    (error) => saying(reason)(error) && Object(error).exitCode === EXIT.usage,
  );
}

Deno.test("toHttpSettings() needs tokens or an issuer beyond loopback", async () => {
  for (const host of ["0.0.0.0", "::", "192.0.2.1", "2001:db8::1"]) {
    await assertRefused({ host }, `Cannot listen on ${host} without tokens`);
  }
  for (const host of ["127.0.0.1", "127.8.8.8", "::1", "localhost"]) {
    assertEquals((await toSettings({ host })).tokens, []);
  }
});

Deno.test("toHttpSettings() believes no names of clients without tokens, or of an issuer's users", async () => {
  const callerHeader = "x-user";
  await assertRefused({ callerHeader }, "x-user without a token");
  await using folder = await tempFolder();
  const tokenFile = join(folder.path, "tokens");
  await Deno.writeTextFile(tokenFile, `proxy ${crypto.randomUUID()}\n`, {
    mode: 0o600,
  });
  const behind = { callerHeader, tokenFile };
  assertEquals((await toSettings(behind)).callerHeader, callerHeader);
  await assertRefused(
    { ...behind, oauthIssuer: "https://id.example.com" },
    "--caller-header x-user and --oauth-issuer",
  );
});

Deno.test("findAddress() looks a name up, once", async () => {
  const { host, address } = await toSettings({ host: "localhost" });
  assertEquals([host, isLoopback(address)], ["localhost", true]);
  await assertRefused(
    { host: "never.invalid" },
    "Cannot find the address of never.invalid",
  );
});

Deno.test("isLoopback() takes whole addresses", () => {
  assertEquals(isLoopback("::ffff:127.0.0.1"), true);
  const others = ["1.127.0.1", "::ffff:192.0.2.1", "2001:db8::1", "::"];
  for (const address of [...others, "127.0.0.1.nip.io"]) {
    assertEquals(isLoopback(address), false, address);
  }
});

Deno.test("toAllowedHosts() has the host, and all addresses if it listens on all", () => {
  const hosts = (host: string) =>
    toAllowedHosts({ host, allowedHosts: ["python.example.com"] });
  assertEquals(hosts("::1"), ["[::1]", "python.example.com"]);
  const own = Deno.networkInterfaces().map(({ address }) => address)
    .filter((address) => !address.includes(":"));
  for (const host of ["0.0.0.0", "::"]) {
    const all = hosts(host);
    assertEquals(own.filter((address) => !all.includes(address)), []);
  }
});

Deno.test("toHttpSettings() reads a certificate and its key", async () => {
  await using folder = await tempFolder();
  const file = (name: string) =>
    fileURLToPath(import.meta.resolve(`../../test/fixtures/tls/${name}`));
  const [cert, key] = [file("server.pem"), file("server.key")];
  const { tls } = await toSettings({ tlsCert: cert, tlsKey: key });
  assertEquals(tls, {
    cert: await Deno.readTextFile(cert),
    key: await Deno.readTextFile(key),
  });
  const missing = join(folder.path, "missing");
  const other = join(folder.path, "other.key");
  await Deno.writeTextFile(other, await makeKey());
  await assertRefused({ tlsCert: cert }, "HTTPS without --tls-key");
  await assertRefused({ tlsKey: key }, "HTTPS without --tls-cert");
  const wrong = [
    [cert, other, "is not that of the certificate"],
    [key, key, "is not a certificate in PEM"],
    [cert, cert, "is not a private key in PEM"],
    [missing, key, `Cannot read "${missing}" of --tls-cert`],
    [cert, missing, `Cannot read "${missing}" of --tls-key`],
  ] as const;
  for (const [tlsCert, tlsKey, reason] of wrong) {
    await assertRefused({ tlsCert, tlsKey }, reason);
  }
});

/** A private key, in PEM. */
async function makeKey(): Promise<string> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const pair = await crypto.subtle.generateKey(algorithm, true, [
    "sign",
    "verify",
  ]);
  const key = await crypto.subtle.exportKey("pkcs8", pair.privateKey);
  const text = new Uint8Array(key).toBase64();
  return `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----\n`;
}

Deno.test("toHttpSettings() finds the keys of an issuer", async () => {
  const issuer = await startIssuer("");
  const settings = { oauthIssuer: issuer.url, host: "0.0.0.0" };
  const oauthAudience = "https://python.example.com";
  const { oauth } = await toSettings({
    ...{ ...settings, oauthAudience, oauthScope: ["a", "b"] },
  });
  assertEquals(oauth, {
    ...{ issuer: issuer.url, jwksUri: `${issuer.url}/jwks` },
    ...{ audience: oauthAudience, scopes: ["a", "b"] },
  });
  const local = await toSettings({ ...settings, host: "::1", port: 1 });
  assertEquals(local.oauth?.audience, "http://[::1]:1/mcp");
  await assertRefused(settings, "with --oauth-audience");
  await assertRefused({ oauthIssuer: issuer.url, port: 0 }, "--oauth-audience");
  // A name of its own that the metadata does not have.
  const other = issuer.url.replace("localhost", "127.0.0.1");
  await assertRejects(
    () => toSettings({ oauthIssuer: other }),
    saying(`names the issuer "${issuer.url}"`),
  );
  await assertRefused(
    { oauthIssuer: "http://192.0.2.1" },
    "it must be https, or http on this machine",
  );
  await issuer[Symbol.asyncDispose]();
  await assertRejects(
    () => toSettings({ oauthIssuer: issuer.url }),
    saying(`Cannot accept tokens of the issuer ${issuer.url}: Cannot read`),
  );
});

Deno.test("toMetadataUrls() are those of OAuth and of OpenID", () => {
  const urls = (issuer: string) => toMetadataUrls(issuer).map(String);
  assertEquals(urls("https://id.example/"), [
    "https://id.example/.well-known/oauth-authorization-server",
    "https://id.example/.well-known/openid-configuration",
  ]);
  assertEquals(urls("https://id.example/a/b"), [
    "https://id.example/.well-known/oauth-authorization-server/a/b",
    "https://id.example/.well-known/openid-configuration/a/b",
    "https://id.example/a/b/.well-known/openid-configuration",
  ]);
});
