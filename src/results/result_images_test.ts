import { assertEquals } from "../../deps/assert.ts";
import type { DisplayedMedia } from "../protocol/displays.ts";
import type { Image, RunResult } from "../protocol/run_result.ts";
import { toBlock, toImage } from "./result_images.ts";
import { parseStructured } from "../../test/support/structured.ts";
import { toStructured, toText } from "./render.ts";

const SHOWN: DisplayedMedia[] = [
  { type: "display", mimeType: "image/png", data: "iVBORw0KGgo=" },
  { type: "display", mimeType: "image/svg+xml", data: "<svg></images></svg>" },
  { type: "display", mimeType: "image/jpeg", data: "/9j/" },
];
const images = SHOWN.reduce<Image[]>(
  (before, display) => [...before, toImage(display, before)],
  [],
);
const result: RunResult = {
  status: "success",
  output: ["<images>"],
  returnValue: null,
  images,
};

Deno.test("pictures are blocks by their kind, in their order", () => {
  assertEquals(images.map(toBlock), [
    { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
    {
      type: "resource",
      resource: {
        uri: "run-python://images/figure-2.svg",
        mimeType: "image/svg+xml",
        text: "<svg></images></svg>",
      },
    },
    { type: "image", mimeType: "image/jpeg", data: "/9j/" },
  ]);
});

Deno.test("text and structure each list pictures, without their data", () => {
  const list = `
run-python://images/figure-1.png (image/png, 8 bytes)
run-python://images/figure-2.svg (image/svg+xml, 22 bytes)
run-python://images/figure-3.jpg (image/jpeg, 3 bytes)
`;
  assertEquals(
    toText(result, "xml"),
    `<status>success</status>
<output>
&lt;images>
</output>
<images>${list}</images>`,
  );
  const listed = [["png", "png", 8], ["svg", "svg+xml", 22], ["jpg", "jpeg", 3]]
    .map(([ending, type, size], at) => ({
      uri: `run-python://images/figure-${at + 1}.${ending}`,
      mimeType: `image/${type}`,
      size,
    }));
  const structured: unknown = toStructured(result);
  assertEquals(structured, {
    status: "success",
    output: ["<images>"],
    return_value: null,
    images: listed,
  });
  assertEquals(JSON.parse(toText(result, "json")), structured);
  assertEquals(parseStructured(structured), structured);
});
