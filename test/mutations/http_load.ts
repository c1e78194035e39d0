import type { Mutation } from "./mutation.ts";

const HTTP = "src/server/transports/http";
const HOSTILE = { tests: ["test/escape_http_load_test.ts"] };

const ADMISSION = {
  file: `${HTTP}/limits/admission.ts`,
  tests: [`${HTTP}/limits/admission_test.ts`],
};

const CALL_PLACES = {
  file: `${HTTP}/limits/call_places.ts`,
  tests: [`${HTTP}/limits/call_places_test.ts`],
};

const MCP_SESSIONS = {
  file: `${HTTP}/mcp/mcp_sessions.ts`,
  tests: [`${HTTP}/mcp/mcp_sessions_test.ts`],
};

/** Limits of clients of HTTP, and of what a socket may say. */
export const HTTP_LOAD: readonly Mutation[] = [
  {
    ...ADMISSION,
    name: "a client may send any number of requests in a second",
    text: "if (use.allowance < 1) {",
    replacement: "if (use.allowance < -Infinity) {",
  },
  {
    ...ADMISSION,
    name: "any number of requests of a client may wait for answers",
    text: "use.underWay >= maxClientRequests",
    replacement: "use.underWay >= Infinity",
  },
  {
    ...ADMISSION,
    name: "any number of callers are remembered",
    text: "if (this.#uses.size > MOST_CALLERS) this.#forgetOne();",
    replacement: "",
  },
  {
    ...CALL_PLACES,
    name: "a call is let in though all places are taken",
    text: "if (this.calls.size >= this.#most) {",
    replacement: "if (this.calls.size >= Infinity) {",
  },
  {
    ...CALL_PLACES,
    name: "a client may take the places of all others",
    text: "Math.ceil(this.#most / 2)",
    replacement: "this.#most",
  },
  {
    ...CALL_PLACES,
    name: "calls that are let in at a time have one place",
    text:
      "      this.calls.announce(toOwner(caller, session), request, ended);\n",
    replacement: "",
  },
  {
    ...MCP_SESSIONS,
    name: "MCP sessions of a client drive out those of others",
    text: "candidates.find(({ caller }) => counts.get(caller) === most)",
    replacement: "candidates[0]",
  },
  {
    ...MCP_SESSIONS,
    name: "an MCP session ends though a call is under way",
    text: "fits(session) && !calls.isConnectionBusy(session.id)",
    replacement: "fits(session)",
  },
  {
    file: `${HTTP}/listener/listener.ts`,
    name: "a client of TLS may take for ever to greet",
    text: "    handshakeTimeout: settings.headerTimeoutMs,\n",
    replacement: "",
    tests: ["test/http_auth_test.ts"],
    filter: "by TLS",
  },
  {
    ...MCP_SESSIONS,
    name: "requests that the SDK refuses open MCP sessions",
    text: "if (!response.ok) this.#end(session);",
    replacement: "",
  },
  {
    file: `${HTTP}/mcp/event_log.ts`,
    name: "an ended MCP session makes room for others again and again",
    text: "    this.onChange = () => {};\n",
    replacement: "",
    tests: [`${HTTP}/mcp/event_log_test.ts`],
  },
  {
    file: `${HTTP}/mcp/event_log.ts`,
    name: "MCP sessions may keep any number of messages together",
    text: "while (this.#chars > this.mostChars) this.#largest().dropOldest();",
    replacement: "",
    tests: [`${HTTP}/mcp/event_log_test.ts`],
  },
  {
    ...HOSTILE,
    file: `${HTTP}/mcp/read_body.ts`,
    name: "a body in chunks may have any size",
    text: "if (size > maxBytes) return tooLarge();",
    replacement: "",
    filter: "too large",
  },
  {
    ...HOSTILE,
    file: `${HTTP}/listener/exchange.ts`,
    name: "a request may name two hosts",
    text: "const isPlain = hosts.length === 1 &&",
    replacement: "const isPlain = hosts.length > 0 &&",
    filter: "unusual requests",
  },
  {
    ...HOSTILE,
    file: `${HTTP}/listener/exchange.ts`,
    name: "a client may leave its answer unread for ever",
    text: "setTimeout(() => outgoing.destroy(), takeTimeoutMs)",
    replacement: "setTimeout(() => {}, takeTimeoutMs)",
    filter: "reads nothing",
  },
  {
    ...HOSTILE,
    file: `${HTTP}/listener/listener.ts`,
    name: "a client may send its request for ever",
    text: "requestTimeout: settings.bodyTimeoutMs,",
    replacement: "requestTimeout: 0,",
    filter: "slow requests",
  },
  {
    ...HOSTILE,
    file: `${HTTP}/listener/listener.ts`,
    name: "a connection may send requests ahead of their answers for ever",
    text: "if (count > MOST_WAITING) return",
    replacement: "if (count > Infinity) return",
    filter: "unusual requests",
  },
  {
    ...HOSTILE,
    file: `${HTTP}/listener/listener.ts`,
    name: "there may be any number of connections",
    text: "  server.maxConnections = settings.maxConnections;\n",
    replacement: "",
    filter: "too many connections",
  },
  {
    ...HOSTILE,
    file: `${HTTP}/mcp/read_body.ts`,
    name: "bodies take any memory",
    text: "if (!take(size)) return",
    replacement: "if (!take(size) && size < 0) return",
    filter: "do not fill the memory",
  },
  {
    ...HOSTILE,
    file: `${HTTP}/mcp/endpoint.ts`,
    name: "data in a million lists is read",
    text: "if (countParts(body) > MOST_PARTS) return",
    replacement: "if (countParts(body) > Infinity) return",
    filter: "too many parts",
  },
  ...[
    [
      "a caller's bodies take all the room",
      "knowsCallers(settings) ? this.#most / 2 :",
      "!knowsCallers(settings) ? this.#most / 2 :",
    ],
    [
      "the arguments of a call whose client is gone are not counted",
      "this.calls.after(request, () => this.#add(caller, -counted))",
      "this.#add(caller, -counted)",
    ],
  ].map(([name = "", text = "", replacement = ""]) => ({
    ...{ name, text, replacement },
    file: `${HTTP}/limits/held_bodies.ts`,
    tests: ["src/server/transports/http/limits/held_bodies_test.ts"],
  })),
  {
    file: `${HTTP}/limits/reading_turns.ts`,
    tests: ["src/server/transports/http/limits/reading_turns_test.ts"],
    name: "a caller has the server read its messages all the time",
    text: "    await before;\n",
    replacement: "",
  },
];
