/** A user with an empty home, who reaches a network as this machine does. */
export function emptyHome(
  home: string,
  bin: string,
  more: Record<string, string> = {},
): { cwd: string; clearEnv: true; env: Record<string, string> } {
  const kept = Object.entries(Deno.env.toObject()).filter(([name]) =>
    /^(.*_proxy|SSL_.*|DENO_TLS_.*|NODE_EXTRA_CA_CERTS|NPM_CONFIG_REGISTRY)$/i
      .test(name)
  );
  const env = {
    ...Object.fromEntries(kept),
    ...{ HOME: home, PATH: `${bin}:/usr/bin:/bin`, NO_COLOR: "1", ...more },
  };
  return { cwd: home, clearEnv: true, env };
}
