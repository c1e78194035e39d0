import { join } from "node:path";

/**
 * Makes a certificate of this machine in a folder, for a day; gives the paths of
 * it and of its key.
 */
export async function makeCertificate(
  folder: string,
): Promise<{ cert: string; key: string }> {
  const cert = join(folder, `${crypto.randomUUID()}.pem`);
  const key = join(folder, `${crypto.randomUUID()}.pem`);
  const { success, stderr } = await new Deno.Command("openssl", {
    args: [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt"],
      ...["ec_paramgen_curve:P-256", "-nodes", "-days", "1"],
      ...["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"],
      ...["-addext", "basicConstraints=critical,CA:FALSE"],
      ...["-keyout", key, "-out", cert],
    ],
  }).output();
  if (success) return { cert, key };
  throw new Error(new TextDecoder().decode(stderr));
}
