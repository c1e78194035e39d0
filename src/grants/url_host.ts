/** A host as it is written in URLs. */
export function toUrlHost(host: string): string {
  const text = host.includes(":") ? `[${host}]` : host;
  return URL.parse(`http://${text}`)?.hostname ?? text;
}
