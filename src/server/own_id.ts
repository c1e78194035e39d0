/**
 * An id that cannot be guessed, of a thing that this server alone has. It begins with
 * the server's name if there are several: a load balancer finds the server by it.
 */
export function toOwnId(server: string | undefined): string {
  const id = crypto.randomUUID();
  return server === undefined ? id : `${server}.${id}`;
}
