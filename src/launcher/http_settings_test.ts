import { join } from "node:path";
import { assertEquals, assertRejects } from "../../deps/assert.ts";
import { makeCertificate } from "../../test/support/certificate.ts";
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

Deno.test("isLoopback() goes by the addresses of a name", async () => {
  assertEquals(await isLoopback("localhost"), true);
  assertEquals(await isLoopback("::ffff:127.0.0.1"), true);
  for (const host of ["1.127.0.1", "::ffff:192.0.2.1", "::1:1", "12.7.0.1"]) {
    assertEquals(await isLoopback(host), false, host);
  }
  await assertRejects(
    () => isLoopback("never.invalid"),
    saying("no address of that name is known"),
  );
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
  const one = await makeCertificate(folder.path);
  const two = await makeCertificate(folder.path);
  const { tls } = await toSettings({ tlsCert: one.cert, tlsKey: one.key });
  assertEquals(tls, {
    cert: await Deno.readTextFile(one.cert),
    key: await Deno.readTextFile(one.key),
  });
  const refused = (tlsCert?: string, tlsKey?: string, reason = "") =>
    assertRefused({
      ...(tlsCert === undefined ? {} : { tlsCert }),
      ...(tlsKey === undefined ? {} : { tlsKey }),
    }, reason);
  await refused(one.cert, undefined, "Cannot serve HTTPS without --tls-key");
  await refused(undefined, one.key, "Cannot serve HTTPS without --tls-cert");
  await refused(one.cert, two.key, "is not that of the certificate");
  await refused(one.key, one.key, "is not a certificate in PEM");
  await refused(one.cert, one.cert, "is not a private key in PEM");
  const missing = join(folder.path, "missing");
  await refused(missing, one.key, `Cannot read "${missing}" of --tls-cert`);
  await refused(one.cert, missing, `Cannot read "${missing}" of --tls-key`);
});

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
