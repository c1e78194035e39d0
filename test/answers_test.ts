/**
 * Results that are longer than a model should read: what comes, and how the rest
 * is read, by the official client over real stdio.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import type { Called } from "./support/server.ts";
import { shareServer } from "./support/shared_server.ts";

const OPTIONS = ["--file-tools"];
const ROWS = "[{'id': n, 'name': f'row {n}'} for n in range(10_000)]";
const row = (id: number) => ({ id, name: `row ${id}` });
const addressIn = ({ structured, text }: Called): string => {
  const { uri, note } = Object(structured.truncated);
  // The text sums a large value up, and says so; this client asks for all of it.
  const [, told = ""] = /<truncated>\n(.*)\n<\/truncated>$/.exec(text) ?? [];
  assert(told.includes(uri), text);
  assert(note.includes(uri), note);
  return uri;
};

Deno.test("of a long value whole items of head and tail come, and all can be read", async () => {
  const server = await shareServer(OPTIONS);
  const called = await server.call(ROWS);
  assertEquals(called.status, "success");
  const { text, returnValue: items } = called;
  assert(text.length < 1500, `${text.length}`);
  assert(Array.isArray(items));
  assertEquals([items[0], items.at(-1)], [row(0), row(9999)]);
  const missing = (10_000 - (items.length - 1)).toLocaleString("en-US");
  assert(items.includes(`… ${missing} of 10,000 items left out …`), text);
  assert(text.includes('"head":[{"id":0,"name":"row 0"},{"id":1,'), text);
  assert(JSON.stringify(called.structured).length < 32_000);

  const uri = addressIn(called);
  const { contents } = await server.client.readResource({ uri });
  const whole = JSON.parse(Object(contents[0]).text);
  assertEquals(Object.keys(whole), ["status", "output", "return_value"]);
  assertEquals(whole.return_value.length, 10_000);
  assertEquals(whole.return_value[5000], row(5000));
  const { resources } = await server.client.listResources();
  const listed = resources.find((resource) => resource.uri === uri);
  assertEquals(listed?.name, "result.json");

  assertMatch(text, /read_file/);
  const read = async (offset: number) => {
    const { structuredContent } = await server.client.callTool({
      name: "read_file",
      arguments: { uri, offset },
    });
    return Object(structuredContent);
  };
  let parts = "";
  for (let offset = 0; offset !== undefined;) {
    const { text, next_offset: next } = await read(offset);
    parts += text;
    offset = next;
  }
  assertEquals(JSON.parse(parts), whole);
});

Deno.test("output and error keep whole lines of head and tail, and share the room", async () => {
  const server = await shareServer(OPTIONS);
  const called = await server.call(
    "for n in range(10_000): print('line', n)\nerror = ValueError('no')\nerror.add_note('\\n'.join(map(str, range(10_000))))\nraise error",
  );
  assertEquals(called.status, "run-error");
  const { output, error = "", text } = called;
  assert(text.length > 29_000 && text.length < 30_500, `${text.length}`);
  assertEquals([output[0], output.at(-1)], ["line 0", "line 9999"]);
  assert(output.every((line) => /^(line \d+|… .* left out …)$/.test(line)));
  assertMatch(error, /^Traceback [^]*\n… .* left out …\n\d+\n[^]*\n9999$/);
  const { contents } = await server.client.readResource({
    uri: addressIn(called),
  });
  const whole = JSON.parse(Object(contents[0]).text);
  assertEquals(whole.output[5000], "line 5000");
  assertEquals(whole.error.split("\n").length > 10_000, true);
});

Deno.test("within a long member of a value, its items are cut", async () => {
  const server = await shareServer(OPTIONS);
  const called = await server.call(
    `{"title": "t", "rows": ${ROWS}, "columns": ["id", "name"]}`,
  );
  const { title, rows, columns } = Object(called.returnValue);
  assertEquals([title, columns], ["t", ["id", "name"]]);
  assertEquals([rows[0], rows.at(-1)], [row(0), row(9999)]);
  assert(called.text.length < 30_500, `${called.text.length}`);
});
