import { assertEquals } from "../../deps/assert.ts";
import { maybeWholeUri, readWhole } from "./whole_value.ts";

const URI = "run-python://1/result.json";

Deno.test("maybeWholeUri() is the address of a value that came in part", () => {
  const structured = (truncated?: object) => ({
    structuredContent: { status: "success", "return_value": [1], truncated },
  });
  assertEquals(maybeWholeUri(structured()), undefined);
  assertEquals(maybeWholeUri(structured({ output: 9, uri: URI })), undefined);
  assertEquals(maybeWholeUri(structured({ return_value: 9, uri: URI })), URI);
  const link = {
    type: "resource_link",
    mimeType: "application/json",
    uri: URI,
  };
  const content = [{ type: "text", text: "" }, link];
  assertEquals(maybeWholeUri({ content }), URI);
  // A file of the code's own is not the value.
  const structuredContent = { files: [{ path: "result.json", uri: URI }] };
  assertEquals(maybeWholeUri({ content, structuredContent }), undefined);
});

Deno.test("readWhole() reads a value, alone and in its result", async () => {
  const read = (data: unknown) =>
    readWhole({
      read: () => Promise.resolve({ text: JSON.stringify(data) }),
    }, URI);
  const value = [{ a: 1 }];
  assertEquals(await read(value), value);
  const result = { status: "success", output: [], "return_value": value };
  assertEquals(await read(result), value);
  assertEquals(await read({ status: "a value" }), { status: "a value" });
});
