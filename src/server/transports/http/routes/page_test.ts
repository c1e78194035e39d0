import { assert, assertEquals } from "../../../../../deps/assert.ts";
import { pageRoutes } from "./page.ts";

const FILES = ["/", "/page.js", "/page.css", "/icon.svg"];
const request = (path: string, init?: RequestInit) =>
  new Request(new URL(path, "http://localhost:1"), init);

function openPage(settings: Parameters<typeof pageRoutes>[0]) {
  const routes = pageRoutes(settings);
  return (request: Request) => routes[new URL(request.url).pathname]?.(request);
}

Deno.test("pageRoutes() has each file refuse markup, frames and other origins", async () => {
  const answer = openPage({ httpPath: "/mcp", web: true });
  for (const path of FILES) {
    const response = await answer(request(path));
    const policy = response?.headers.get("content-security-policy") ?? "";
    for (
      const rule of [
        ...["default-src 'none'", "script-src 'self'", "style-src 'self'"],
        ...["frame-ancestors 'none'", "require-trusted-types-for 'script'"],
      ]
    ) {
      assert(policy.split("; ").includes(rule), `${path}: ${rule}`);
    }
    assertEquals(
      response?.headers.get("x-content-type-options"),
      "nosniff",
      path,
    );
  }
});

Deno.test("pageRoutes() has the frame be of no origin, in its own page alone, without connections", async () => {
  const answer = openPage({ httpPath: "/mcp", web: true });
  const headers = (await answer(request("/frame")))?.headers;
  assertEquals(
    headers?.get("content-security-policy"),
    "sandbox allow-scripts; frame-ancestors 'self'",
  );
  assertEquals(headers?.get("connection-allowlist"), "()");
});

Deno.test("pageRoutes() has no path if the page is turned off", () => {
  assertEquals(pageRoutes({ httpPath: "/mcp", web: false }), {});
});

Deno.test("pageRoutes() names the path of MCP, whatever is in it", async () => {
  const answer = openPage({ httpPath: '/"><script>$&', web: true });
  const html = await (await answer(request("/")))?.text() ?? "";
  assert(html.includes('data-mcp="&#34;&#62;&#60;script&#62;$&#38;"'), html);
});

Deno.test("pageRoutes() sends a file again only if it is another", async () => {
  const answer = openPage({ httpPath: "/mcp", web: true });
  const first = await answer(request("/page.js"));
  const headers = { "if-none-match": first?.headers.get("etag") ?? "" };
  const again = await answer(request("/page.js", { headers }));
  assertEquals([first?.status, again?.status], [200, 304]);
});
