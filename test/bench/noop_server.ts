/**
 * Baseline: an MCP server on the same SDK with one tool that does nothing.
 *
 * @module
 */
import { serveStdio } from "../../deps/mcp_server.ts";
import { createNoop } from "./noop.ts";

serveStdio(createNoop);
