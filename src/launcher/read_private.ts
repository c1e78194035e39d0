import { createPrivateKey, X509Certificate } from "node:crypto";
import type { HttpSettings } from "../protocol/server_settings.ts";
import { maybe, reasonOf, usageError } from "../errors.ts";
import { log } from "../log.ts";
import type { Settings } from "../settings.ts";
import { maybeMount } from "../grants/policy.ts";

/**
 * Reads a file of secrets that an option names; warns if other users of this
 * machine may read it.
 *
 * @throws {UserError} If it cannot be read, or Python could read it by a mount.
 */
export function readPrivate(
  path: string,
  { flag, mounts }: { flag: string } & Pick<Settings, "mounts">,
): string {
  const text = readFile(path, flag);
  const shown = maybeMount(path, mounts);
  if (shown) {
    throw usageError(
      `Cannot use "${path}" for ${flag} as Python could read it in the mount of "${shown.host}": move it to another folder.`,
    );
  }
  const { mode } = Deno.statSync(path);
  if (mode !== null && (mode & 0o077) !== 0) {
    log(
      `warning: Other users may read "${path}" of ${flag}: chmod 600 closes it to them.`,
    );
  }
  return text;
}

/** @throws {UserError} If it cannot be read. */
export function readFile(path: string, flag: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    throw usageError(`Cannot read "${path}" of ${flag}: ${reasonOf(error)}.`);
  }
}

/**
 * The certificate and key to serve HTTPS with; undefined if none are named.
 *
 * @throws {UserError} If there is one without the other, or they do not fit.
 */
export function readTls(
  { tlsCert, tlsKey, mounts }: Pick<Settings, "tlsCert" | "tlsKey" | "mounts">,
): HttpSettings["tls"] {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    const missing = tlsCert === undefined ? "--tls-cert" : "--tls-key";
    throw usageError(`Cannot serve HTTPS without ${missing}: give it, too.`);
  }
  const cert = readFile(tlsCert, "--tls-cert");
  const key = readPrivate(tlsKey, { flag: "--tls-key", mounts });
  const certificate = maybe(() => new X509Certificate(cert));
  if (!certificate) {
    throw usageError(
      `Cannot use "${tlsCert}" for --tls-cert as it is not a certificate in PEM.`,
    );
  }
  const privateKey = maybe(() => createPrivateKey(key));
  if (!privateKey) {
    throw usageError(
      `Cannot use "${tlsKey}" for --tls-key as it is not a private key in PEM without a password.`,
    );
  }
  if (!certificate.checkPrivateKey(privateKey)) {
    throw usageError(
      `Cannot serve HTTPS as the key "${tlsKey}" is not that of the certificate "${tlsCert}", which must be the first of its file.`,
    );
  }
  return { cert, key };
}
