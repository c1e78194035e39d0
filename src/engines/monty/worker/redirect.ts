import type { ResponseHead } from "../../../protocol/http_exchange.ts";
import type { Asked } from "./http_arguments.ts";

const REDIRECTS = [301, 302, 303, 307, 308];
/** Headers that are for one server alone. */
const SECRETS = ["authorization", "cookie", "proxy-authorization"];

/** The request that a response asks for; undefined if it is not a redirect. */
export function redirected(
  asked: Asked,
  { status, headers }: ResponseHead,
): Asked | undefined {
  const [, location] = headers.find(([name]) => name === "location") ?? [];
  if (!REDIRECTS.includes(status) || location === undefined) return undefined;
  const [from, to] = [URL.parse(asked.url), URL.parse(location, asked.url)];
  const url = to?.href ?? location;
  const { method, body } = asked;
  const isSame = from?.origin === to?.origin;
  const becomesGet = status === 303 && method !== "HEAD" ||
    (status === 301 || status === 302) && method === "POST";
  const kept = asked.headers.filter(([header]) => {
    const name = header.toLowerCase();
    return (isSame || !SECRETS.includes(name)) &&
      !(becomesGet && name.startsWith("content-"));
  });
  return becomesGet
    ? { url, method: "GET", headers: kept }
    : { url, method, headers: kept, body };
}
