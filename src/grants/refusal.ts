/**
 * The message that a host, with its port, is not granted, and the option that grants
 * it; with an address if the host itself is granted and leads to a closed address.
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
