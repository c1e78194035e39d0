import type { Mutation } from "./mutation.ts";

const tests = ["test/http_protocol_test.ts"];

/** Clients of HTTP, each of which gets the answers and the news that are its own. */
export const HTTP_PROTOCOL: readonly Mutation[] = [
  {
    name: "a 2025 client hears of the files of other callers",
    file: "src/server/transports/http/mcp/mcp_sessions.ts",
    text: "if (caller === owner) server.sendResourceListChanged()",
    replacement: "server.sendResourceListChanged()",
    tests,
    filter: "no other caller's (2025",
  },
  {
    name: "a 2026 client hears of the files of other callers",
    file: "src/server/transports/http/mcp/owner_events.ts",
    text: "if (owner === undefined || its === owner) listener(event);",
    replacement: "listener(event);",
    tests,
    filter: "no other caller's (2026",
  },
  {
    name: "a 2025 request may have the id of another that is under way",
    file: "src/server/transports/http/mcp/session_transport.ts",
    text: "if (id !== undefined && this.#open.has(id)) {",
    replacement: "if (false) {",
    tests,
    filter: "whose id waits",
  },
  {
    name: "the stream of a cancelled request stays open",
    file: "src/server/transports/http/mcp/session_transport.ts",
    text: "if (message && response.ok) await this.#maybeCancel(message);",
    replacement: "",
    tests,
    filter: "ends without an answer",
  },
];
