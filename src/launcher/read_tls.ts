import { createPrivateKey, X509Certificate } from "node:crypto";
import { usageError } from "../errors.ts";
import type { HttpSettings } from "../protocol/server_settings.ts";
import type { Settings } from "../settings.ts";
import { maybe } from "./maybe.ts";
import { readFile, readPrivate } from "./read_private.ts";

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
