/**
 * Ends with 0 if the server on this machine's loopback is up: the health check of
 * the container.
 *
 * @module
 */
const port = Deno.env.get("MCP_RUN_PYTHON_PORT") || "3001";
const { ok } = await fetch(`http://127.0.0.1:${port}/healthz`);
Deno.exit(ok ? 0 : 1);
