/**
 * The app is there for clients that show apps, and costs others nothing.
 *
 * @module
 */
import { assert, assertEquals } from "../deps/assert.ts";
import { startAsking } from "./support/asking_client.ts";
import { ERAS } from "./support/client.ts";

const URI = "ui://mcp-run-python/result";
const TYPE = "text/html;profile=mcp-app";
const EXTENSION = "io.modelcontextprotocol/ui";
const SHOWS = { [EXTENSION]: { mimeTypes: [TYPE] } };

for (const era of ERAS) {
  for (const via of ["stdio", "http"] as const) {
    Deno.test(`a client of ${era} over ${via} that declares MCP Apps gets the app, and another not a byte more`, async () => {
      await using plain = await startAsking([], { era, via });
      await using asking = await startAsking([], {
        ...{ era, via, extensions: SHOWS },
      });
      const { client } = asking;
      const of = client.getServerCapabilities()?.extensions;
      assertEquals(of?.[EXTENSION], { mimeTypes: [TYPE] });
      const [without, { tools }] = [
        await plain.client.listTools(),
        await client.listTools(),
      ];
      const withUi = tools.filter(({ _meta }) => _meta !== undefined);
      assertEquals(
        withUi.map(({ name, _meta }) => [name, _meta]),
        [["run_python_code", { ui: { resourceUri: URI } }]],
      );
      assertEquals(
        JSON.stringify(without.tools),
        JSON.stringify(tools.map(({ _meta: _, ...tool }) => tool)),
      );
      const { resources } = await client.listResources();
      assertEquals(
        resources.filter(({ mimeType }) => mimeType === TYPE)
          .map(({ uri }) => uri),
        [URI],
      );
      const others = await plain.client.listResources();
      assert(!JSON.stringify(others).includes("ui://"));
      const { contents: [app, ...more] } = await client.readResource({
        uri: URI,
      });
      assertEquals(more, []);
      assert(app && "text" in app && app.text.length > 100_000);
      assertEquals([app.uri, app.mimeType], [URI, TYPE]);
      const { ui } = Object(app._meta);
      assertEquals(Object.values(ui.csp).flat(), []);
      // All is in the one file.
      assert(
        !/<(link|img|script[^>]+src)\b/.test(
          app.text.split("<script")[0] ?? "",
        ),
      );
    });
  }
}

Deno.test("in code mode the app shows the results of its one tool", async () => {
  await using asking = await startAsking(["--code-mode"], {
    extensions: SHOWS,
  });
  const { tools } = await asking.client.listTools();
  assertEquals(
    tools.map(({ name, _meta }) => [name, _meta]),
    [["run_python", { ui: { resourceUri: URI } }]],
  );
});
