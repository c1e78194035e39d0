// The variables that other processes get from this one. They are read when this
// file is loaded, as the broker gives up `env` later.
import { MIB } from "../units.ts";

/**
 * From this size on, glibc gives freed memory back to the system. By itself it raises
 * the bounds up to 32 and 64 MiB, and keeps 20 MiB of each sandbox process.
 */
const GIVEN_BACK = String(MIB);

/** Variables that every process has. */
export const USUAL = {
  NO_COLOR: "1",
  DENO_NO_UPDATE_CHECK: "1",
  MALLOC_MMAP_THRESHOLD_: GIVEN_BACK,
  MALLOC_TRIM_THRESHOLD_: GIVEN_BACK,
} as const;

/** These, and those that Deno needs to find its cache. */
export const VARIABLES: Record<string, string> = {
  ...pick(["DENO_DIR", "HOME", "XDG_CACHE_HOME"]),
  ...pick(["LOCALAPPDATA", "USERPROFILE", "SYSTEMROOT"]),
  ...USUAL,
};

export const CERTIFICATES: Record<string, string> = {
  ...pick(["DENO_TLS_CA_STORE", "NODE_EXTRA_CA_CERTS"]),
  ...maybeCertificate(),
};

export const NETWORK: Record<string, string> = {
  ...pick(["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]),
  ...pick(["http_proxy", "https_proxy", "no_proxy"]),
  ...CERTIFICATES,
};

export function certificateFiles(): string[] {
  return [CERTIFICATES.DENO_CERT, CERTIFICATES.NODE_EXTRA_CA_CERTS]
    .flatMap((path) => path ?? []);
}

/** Sets `DENO_CERT` from `SSL_CERT_FILE`, the name that other programs use. */
function maybeCertificate(): Record<string, string> {
  const file = Deno.env.get("DENO_CERT") || Deno.env.get("SSL_CERT_FILE");
  return file ? { DENO_CERT: file } : {};
}

function pick(names: string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = Deno.env.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
