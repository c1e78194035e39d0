import type { Mutation } from "./mutation.ts";

const ATTACKS = ["test/escape_http_test.ts"];
const HOSTS = { file: "src/server/transports/http/hosts.ts", tests: ATTACKS };
const EXCHANGE = {
  file: "src/server/transports/http/listener/exchange.ts",
  tests: ATTACKS,
  filter: "no name but",
};
const CALLERS = {
  file: "src/server/transports/http/callers/callers.ts",
  tests: ["test/http_auth_test.ts", ...ATTACKS],
};
const NAMED = {
  file: "src/server/transports/http/callers/named_caller.ts",
  tests: ATTACKS,
  filter: "header names no caller",
};
const ACCESS = {
  file: "src/server/transports/http/callers/access_tokens.ts",
  tests: ["src/server/transports/http/callers/access_tokens_test.ts"],
};
const TOKENS = {
  file: "src/launcher/read_tokens.ts",
  tests: ["src/launcher/read_tokens_test.ts"],
};
const LISTEN = {
  file: "src/launcher/listen_address.ts",
  tests: ["src/launcher/http_settings_test.ts"],
};
const ISSUER = {
  file: "src/launcher/find_issuer.ts",
  tests: ["src/launcher/http_settings_test.ts"],
  filter: "finds the keys",
};

/** Weaker walls around who may call a server of HTTP. */
export const HTTP_AUTH: readonly Mutation[] = [
  {
    name: "a server of HTTP is served by any name",
    ...HOSTS,
    text: "if (!hosts.has(hostname)) {",
    replacement: "if (hosts.size === 0) {",
    filter: "escape: ",
  },
  {
    name: "pages of every origin may call a server of HTTP",
    ...HOSTS,
    text: "if (!origins.has(origin)) {",
    replacement: "if (hosts.size === 0) {",
    filter: "other origins",
  },
  {
    name: "a page of another port, or without TLS, is of the server",
    ...HOSTS,
    text: 'if (origin === own || origin === own.replace(/^http:/, "https:"))',
    replacement: "if (URL.parse(origin)?.hostname === hostname)",
    filter: "other origins",
  },
  {
    name: "pictures and scripts of other pages reach a server of HTTP",
    ...HOSTS,
    text: "return isOfOtherPage(request)",
    replacement: "return request.url === ''",
    filter: "without naming its origin",
  },
  {
    name: "a page of the same site reaches a server of HTTP",
    ...HOSTS,
    text: ' || site === "same-site"',
    replacement: "",
    filter: "without naming its origin",
  },
  {
    name: "a form of another page counts as a link",
    ...HOSTS,
    text: 'const isLink = method === "GET" &&',
    replacement: "const isLink =",
    filter: "without naming its origin",
  },
  {
    name: "answers may be read by every origin",
    ...HOSTS,
    text: 'response.headers.set("access-control-allow-origin", origin);',
    replacement: 'response.headers.set("access-control-allow-origin", "*");',
    filter: "asks before it sends",
  },
  {
    name: "an answer for one origin is kept for others",
    ...HOSTS,
    text: 'response.headers.append("vary", "origin");',
    replacement: "",
    filter: "asks before it sends",
  },
  {
    name: "a request has two hosts",
    ...EXCHANGE,
    text: "hosts.length === 1 && ",
    replacement: "",
  },
  {
    name: "a host may hold user information",
    ...EXCHANGE,
    text: "HOST.test(host) &&",
    replacement: "host !== '' &&",
  },
  {
    name: "bodies of any content type are read",
    file: "src/server/transports/http/mcp/endpoint.ts",
    tests: ATTACKS,
    filter: "content types",
    text: 'if (!isJsonContentType(request.headers.get("content-type"))) {',
    replacement: 'if (request.method === "") {',
    survives: "the SDK looks at it, too",
  },
  {
    name: "a token that is unknown opens the server",
    ...CALLERS,
    text: "if (name !== undefined) return this.#toCaller(name, headers);",
    replacement: 'return this.#toCaller(name ?? "", headers);',
    filter: "token",
  },
  {
    name: "no token opens a server with tokens",
    ...CALLERS,
    text: "if (given === null) {",
    replacement: "if (given === null) return LOCAL;\n    if (given === null) {",
    filter: "token",
  },
  {
    name: "a longer token is read whole",
    ...CALLERS,
    text: "token.length > MOST_CHARS",
    replacement: "token.length < 0",
    filter: "official client",
  },
  {
    name: "every token is the first token",
    file: "src/server/transports/http/callers/named_tokens.ts",
    tests: CALLERS.tests,
    filter: "token",
    text: "timingSafeEqual(one.hash, hash)",
    replacement: "timingSafeEqual(hash, hash)",
  },
  {
    name: "a proxy's request that names no caller is the proxy's own",
    file: CALLERS.file,
    tests: ATTACKS,
    filter: "names no caller",
    text: "const name = callerHeader === undefined\n",
    replacement: "const name = !headers.get(callerHeader ?? 'none')\n",
  },
  {
    name: "two callers are one, by a comma",
    ...NAMED,
    text: "[!-+\\--~]{1,200}",
    replacement: "[!-~ ]{1,200}",
  },
  {
    name: "the name of a caller has any length",
    ...NAMED,
    text: "{1,200}$/",
    replacement: "+$/",
  },
  {
    name: "a token names callers of other tokens",
    ...NAMED,
    text: "`${token}/${named}` :",
    replacement: "named.replace(/^.*\\//, '') :",
    filter: "no session of another one",
  },
  {
    name: "callers of a proxy are one",
    ...NAMED,
    text: "`${token}/${named}` :",
    replacement: "token :",
    filter: "no session of another one",
  },
  {
    name: "clients without a token name their caller",
    file: "src/launcher/http_settings.ts",
    tests: ["src/launcher/http_settings_test.ts"],
    filter: "believes no names",
    text: "if (!hasTokens) {",
    replacement: "if (!hasTokens && callerHeader === '') {",
  },
  {
    name: "a user of an issuer is many callers",
    file: "src/launcher/http_settings.ts",
    tests: ["src/launcher/http_settings_test.ts"],
    filter: "believes no names",
    text: "if (oauthIssuer !== undefined) {",
    replacement: "if (oauthIssuer === '') {",
  },
  {
    name: "an MCP session answers every caller",
    file: "src/server/transports/http/mcp/mcp_sessions.ts",
    tests: ATTACKS,
    filter: "no session of another token",
    text: "if (session?.caller !== caller.name) {",
    replacement: "if (!session) {",
  },
  {
    name: "access tokens of other issuers are good",
    ...ACCESS,
    text: "...{ issuer, audience, algorithms: ALGORITHMS },",
    replacement: "...{ audience, algorithms: ALGORITHMS },",
  },
  {
    name: "access tokens for other servers are good",
    ...ACCESS,
    text: "{ issuer, audience, algorithms",
    replacement: "{ issuer, algorithms",
  },
  {
    name: "access tokens last for ever",
    ...ACCESS,
    text: 'requiredClaims: ["exp", "sub"],',
    replacement: 'requiredClaims: ["sub"],',
  },
  {
    name: "access tokens are of no user",
    ...ACCESS,
    text: ' && sub !== ""',
    replacement: "",
  },
  {
    name: "a user may be a list",
    ...ACCESS,
    text: 'typeof sub === "string" && sub',
    replacement: "sub !== undefined && sub",
  },
  {
    name: "tokens of every type are access tokens",
    ...ACCESS,
    text: "!TYPES.includes(protectedHeader.typ?.toLowerCase())",
    replacement: "false",
  },
  {
    name: "access tokens outlive their time by an hour",
    ...ACCESS,
    text: "const SKEW_SECONDS = 30;",
    replacement: "const SKEW_SECONDS = 3600;",
  },
  {
    name: "access tokens need no scope",
    ...ACCESS,
    text: "return scopes.every((scope)",
    replacement: "return scopes.slice(9).every((scope)",
  },
  {
    name: "access tokens may be signed by a shared secret",
    ...ACCESS,
    text: "algorithms: ALGORITHMS }",
    replacement: 'algorithms: [...ALGORITHMS, "HS256"] }',
    survives: "the published keys are not for it, which jose checks, too",
  },
  {
    name: "short tokens are good",
    ...TOKENS,
    text: "{16,1024}=*$/",
    replacement: "{1,1024}=*$/",
  },
  {
    name: "two tokens have one name",
    ...TOKENS,
    text: "const [first, what] = places.has(name)",
    replacement: "const [first, what] = places.has(`${name} `)",
  },
  {
    name: "children see the variable of tokens",
    ...TOKENS,
    text: "  Deno.env.delete(TOKEN_VARIABLE);\n",
    replacement: "",
  },
  {
    name: "Python reads the file of tokens, or the logs, in a mount",
    file: "src/launcher/maybe_mount.ts",
    tests: [...TOKENS.tests, "test/logs_test.ts"],
    text: "isWithin(real, host, Deno.build)",
    replacement: "isWithin(real, `${host}/x`, Deno.build)",
  },
  {
    name: "other machines reach a server without tokens",
    file: "src/launcher/http_settings.ts",
    tests: ["src/launcher/http_settings_test.ts"],
    filter: "beyond loopback",
    text: "    refuseStrangers(address);\n",
    replacement: "",
  },
  {
    name: "addresses that end like loopback are loopback",
    ...LISTEN,
    text: "/^(::ffff:)?127\\.\\d+\\.\\d+\\.\\d+$|^::1$/i",
    replacement: "/127\\.|::1/i",
  },
  {
    name: "another issuer's metadata is believed",
    ...ISSUER,
    text: "if (named !== issuer) {",
    replacement: "if (named === undefined) {",
  },
  {
    name: "an issuer's metadata comes over plain http",
    ...ISSUER,
    text: 'if (protocol === "https:") return;',
    replacement: 'if (protocol !== "") return;',
  },
  {
    name: "a key is served with the certificate of another",
    file: "src/launcher/read_tls.ts",
    tests: ["src/launcher/http_settings_test.ts"],
    filter: "certificate",
    text: "if (!certificate.checkPrivateKey(privateKey)) {",
    replacement: "if (!certificate) {",
  },
  {
    name: "a user can have the name of another, whose name is long",
    file: CALLERS.file,
    text: "return `oauth-sha256:",
    replacement: "return `oauth:",
    tests: ["src/server/transports/http/callers/callers_test.ts"],
  },
];
