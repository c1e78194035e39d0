/**
 * Ways from the code of a run back to its own server, where it would be a client
 * of this machine.
 *
 * @module
 */
import { assertEquals } from "../deps/assert.ts";
import { startHttp } from "./support/http_server.ts";
import { postCall } from "./support/mcp_post.ts";
import { startWebServer } from "./support/web_server.ts";

Deno.test("escape: code does not reach its own server, whatever is granted", async () => {
  await using web = startWebServer();
  const own = Deno.networkInterfaces().filter(({ family, address }) =>
    family === "IPv4" && !address.startsWith("127.")
  ).map(({ address }) => address);
  const granted = ["*", "localhost", "127.0.0.0/8", "0.0.0.0", ...own, "[::1]"];
  const token = crypto.randomUUID();
  // It listens on all addresses that the code may try.
  await using server = await startHttp(
    ["--host", "0.0.0.0", "--allow-net", granted.join()],
    { env: { MCP_RUN_PYTHON_TOKEN: token } },
  );
  const { port } = server.url;
  const hosts = [
    ...["localhost", "127.0.0.1", "127.0.0.2", "0.0.0.0", "2130706433"],
    ...["[::ffff:127.0.0.1]", "[::1]", ...own],
  ].map((host) => `${host}:${port}`);
  const code = `
from pyodide.http import pyfetch
answered = []
for host in ${JSON.stringify([...hosts, web.host])}:
    try:
        await (await pyfetch(f"http://{host}/healthz")).text()
        answered.append(host)
    except OSError:
        pass
answered`;
  const { headers, ...call } = postCall(code);
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    ...call,
    headers: { ...headers, authorization: `Bearer ${token}` },
  });
  const text = await response.text();
  const last = text.slice(text.indexOf("{"));
  const { result } = JSON.parse(last);
  assertEquals(result.structuredContent.return_value, [web.host], text);
});
