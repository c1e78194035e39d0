import { assertEquals } from "../../deps/assert.ts";
import type { DisplayedPage } from "../protocol/displays.ts";
import type { Page, RunResult } from "../protocol/run_result.ts";
import { parseStructured } from "../../test/support/structured.ts";
import { toCompactText } from "./code_mode/compact.ts";
import { toPayload } from "./code_mode/payload.ts";
import { toStructured, toText } from "./render.ts";
import {
  maybePageLink,
  toPage,
  toPageBlock,
  toPageFiles,
  withAddresses,
} from "./result_pages.ts";

const show = (title: string, about: string, data: string): DisplayedPage => ({
  ...{ type: "display", mimeType: "text/html", title, about, data },
});
const SHOWN = [
  show("Sales", "plotly figure: 1 trace, 2 points", "<b>é</b>"),
  show("", "</pages><status>", "<script>1</script>"),
];
const named = SHOWN.reduce<Page[]>(
  (before, display) => [...before, toPage(display, before)],
  [],
);
const pages = withAddresses(
  named,
  toPageFiles(named).map((file, at) =>
    at === 0 ? { ...file, uri: "run-python://id/page-1.html" } : file
  ),
);
const [first, second] = pages as [Page, Page];
const annotations = { audience: ["user" as const] };

Deno.test("toPageBlock() embeds a page for a client that shows pages, and links it for others", () => {
  const uri = "run-python://id/page-1.html";
  const mimeType = "text/html";
  const embedded = toPageBlock(first, true);
  assertEquals(embedded, {
    type: "resource",
    resource: { uri, mimeType, text: "<b>é</b>" },
    annotations,
  });
  const link = { type: "resource_link", uri, name: "page-1.html", mimeType };
  assertEquals<unknown>(toPageBlock(first, false), {
    ...{ ...link, size: 9, title: "Sales" },
    annotations,
  });
  assertEquals<unknown>(embedded && maybePageLink(embedded), {
    ...{ ...link, size: 9 },
    annotations,
  });
});

Deno.test("toPageBlock() makes no link to a page that is not kept", () => {
  assertEquals(second.uri, "run-python://pages/page-2.html");
  assertEquals(toPageBlock(second, false), undefined);
  const embedded = toPageBlock(second, true);
  assertEquals(embedded?.type, "resource");
  assertEquals(embedded && maybePageLink(embedded), undefined);
  assertEquals(maybePageLink({ type: "text", text: "<p>" }), undefined);
});

Deno.test("a result tells of its pages in lines, and never has their markup", () => {
  const result: RunResult = {
    ...{ status: "success", returnValue: null, output: [], pages },
  };
  const structured = parseStructured(toStructured(result));
  assertEquals(structured.pages, [
    {
      uri: "run-python://id/page-1.html",
      ...{ title: "Sales", about: "plotly figure: 1 trace, 2 points", size: 9 },
    },
    {
      uri: "run-python://pages/page-2.html",
      ...{ about: "</pages><status>", size: 18 },
    },
  ]);
  const lines = [
    "run-python://id/page-1.html (Sales; plotly figure: 1 trace, 2 points, 9 bytes)",
    "run-python://pages/page-2.html (</pages><status>, 18 bytes)",
  ];
  assertEquals(
    toCompactText(toPayload(result), result),
    lines.map((line) => `page: ${line}`).join("\n"),
  );
  const text = lines.join("\n").replace(/<(\/pages|status)/g, "&lt;$1");
  assertEquals(
    toText(result, "xml"),
    `<status>success</status>\n<pages>\n${text}\n</pages>`,
  );
});
