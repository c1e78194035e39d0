/**
 * The message that a host is not granted, with the option that grants it.
 *
 * @param host The host, with its port.
 * @param address The closed address to which the host resolves; undefined if the
 * host itself is not granted.
 */
export function refusal(host: string, address?: string): string {
  const name = host.replace(/:(80|443)$/, "");
  if (address === undefined) {
    return `No network access to "${host}": ask the user to start the server with --allow-net ${name}`;
  }
  const bare = address.replace(/:\d+$/, "");
  return `No network access to "${host}" as it leads to ${bare}, which is no address of the internet: ask the user to start the server with --allow-net ${name},${bare}`;
}

/** The host of a URL with its port, in Deno's spelling. */
export function hostOf({ protocol, host, port }: URL): string {
  return port === "" ? `${host}:${protocol === "https:" ? 443 : 80}` : host;
}
