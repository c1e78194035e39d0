// Server-sent events, for the page in a browser: the parser that the MCP SDK has.
export { EventSourceParserStream } from "eventsource-parser/stream";
