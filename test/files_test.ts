/**
 * Files into and out of runs, by the official client over real stdio, in both
 * protocol eras.
 *
 * @module
 */
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../deps/assert.ts";
import { toPng } from "./support/png.ts";
import { ERAS, startServer, type TestServer } from "./support/server.ts";
import { shareServer } from "./support/shared_server.ts";

interface Listed {
  path: string;
  size: number;
  mimeType: string;
  uri?: string;
  text?: string;
}

const filesOf = ({ structured }: { structured: Record<string, unknown> }) =>
  (structured.files ?? []) as Listed[];
const pathsOf = (called: { structured: Record<string, unknown> }) =>
  filesOf(called).map(({ path }) => path);
const read = async (server: TestServer, uri = "") => {
  const { contents } = await server.client.readResource({ uri });
  return { ...Object(contents[0]) };
};

/** Room for the files of a run. */
const ONE_MIB = ["--max-files-size", "1"];

/** What the server says to what it does not do. */
async function refusal(call: () => Promise<unknown>): Promise<Error> {
  try {
    await call();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("It was not refused");
}

for (const era of ERAS) {
  Deno.test(`${era}: files go in as they are, and what is written comes back`, async () => {
    await using server = await startServer([], era);
    const called = await server.call(
      `
import os
seen = open("in/ö.txt").read(), open("b.bin", "rb").read() == bytes(range(256))
open("out.csv", "w").write("a,b\\n1,2\\n</files>\\n")
open("in/ö.txt", "a").write("!")
os.makedirs("new/er")
open("new/er/random.bin", "wb").write(bytes(range(256)) * 10_000)
open("empty", "w").close()
os.symlink("/etc", "link")
open("/tmp/elsewhere", "w").write("x")
seen`,
      {
        files: [
          { path: "in/ö.txt", text: "grüße" },
          {
            path: "/workspace/b.bin",
            base64: new Uint8Array(256).map((_, at) => at).toBase64(),
          },
          { path: "same.txt", text: "untouched" },
        ],
      },
    );
    assertEquals(called.returnValue, ["grüße", true]);
    assertEquals(
      filesOf(called).map(({ path, size, mimeType, text }) => [
        ...[path, size, mimeType, text],
      ]),
      [
        ["empty", 0, "application/octet-stream", ""],
        ["in/ö.txt", 8, "text/plain", "grüße!"],
        ["new/er/random.bin", 2_560_000, "application/octet-stream", undefined],
        ["out.csv", 17, "text/csv", "a,b\n1,2\n</files>\n"],
      ],
    );
    assertMatch(
      called.text,
      /<file path="out.csv" size="17"[^>]*>\na,b\n1,2\n/,
    );
    assertMatch(called.text, /&lt;\/files>\n<\/file>\n<\/files>$/);

    const [, changed, random] = filesOf(called);
    assertEquals((await read(server, changed?.uri)).text, "grüße!");
    const { blob } = await read(server, random?.uri);
    const bytes = Uint8Array.fromBase64(String(blob));
    assertEquals(bytes.length, 2_560_000);
    assert(bytes.every((byte, at) => byte === at % 256));
    const part = await read(server, `${random?.uri}?offset=255&length=2`);
    assertEquals(part.blob, "/wA=");

    const { resources } = await server.client.listResources();
    assertEquals(
      resources.map(({ name, size }) => [name, size]),
      filesOf(called).map(({ path, size }) => [path, size]),
    );
    const { resourceTemplates } = await server.client.listResourceTemplates();
    assertMatch(String(resourceTemplates[0]?.uriTemplate), /^run-python:/);

    const next = await server.call("import os; os.listdir()");
    assertEquals(next.returnValue, []);
    assertEquals(next.structured.files, undefined);
  });

  Deno.test(`${era}: a file that cannot be is refused, by name, and nothing runs`, async () => {
    const server = await shareServer(ONE_MIB, era);
    const large = new Uint8Array(2 ** 20 + 1).toBase64();
    for (
      const [file, message] of [
        [{ path: "../up", text: "x" }, /"\.\.\/up" has "\.\." in it/],
        [{ path: "/etc/x", text: "x" }, /outside of \/workspace/],
        [{ path: "n".repeat(5000), text: "x" }, /5000 characters/],
        [{ path: "a\0", text: "x" }, /NUL/],
        [
          { path: "a", base64: "?" },
          /files\[0\] "a" has wrong base64/,
        ],
        [{ path: "a", base64: large }, /--max-files-size/],
      ] as const
    ) {
      const refused = await server.call("print('ran')", { files: [file] });
      assertEquals([refused.status, refused.output], ["invalid-arguments", []]);
      assertMatch(String(refused.error), message);
    }
    assertEquals((await server.call("1")).returnValue, 1);
  });

  Deno.test(`${era}: an address of nothing is refused, and says why`, async () => {
    const server = await shareServer(ONE_MIB, era);
    for (
      const [uri, message] of [
        ["run-python://x/y", /no file at .* may have been dropped/s],
        ["file:///etc/passwd", /no resource file:\/\/\/etc\/passwd: /],
        ["nope", /no resource nope: /],
      ] as const
    ) {
      const error = await refusal(() => read(server, uri));
      assertMatch(String(error), message);
      const code = Reflect.get(Object(error), "code");
      assert([-32602, -32002].includes(Number(code)), `${code}`);
    }
  });
}

Deno.test("files come back from a run that failed, and from one that was interrupted", async () => {
  const server = await shareServer();
  const write = 'open("kept.txt", "w").write("so far")\n';
  const failed = await server.call(`${write}1 / 0`);
  assertEquals(failed.status, "run-error");
  assertEquals(pathsOf(failed), ["kept.txt"]);
  const late = await server.call(`${write}while True: pass`, { timeout: 0.5 });
  assertEquals(late.status, "timeout");
  assertEquals(pathsOf(late), ["kept.txt"]);
});

Deno.test("files that were put in count as the run's, and what is deleted is room again", async () => {
  const server = await shareServer(ONE_MIB);
  const half = "x".repeat(600_000);
  const full = await server.call('open("b", "w").write("y" * 600_000)', {
    files: [{ path: "a", text: half }],
  });
  assertMatch(String(full.error), /No space left.*--max-files-size/s);
  const fits = await server.call(
    'import os; os.remove("a"); open("b", "w").write("y" * 600_000)',
    { files: [{ path: "a", text: half }] },
  );
  assertEquals(pathsOf(fits), ["b"]);
});

Deno.test("the oldest run's files are dropped when there is too much", async () => {
  await using server = await startServer(["+maxStoredFilesMiB=1"]);
  const write = 'open("a", "wb").write(b"\\0" * 600_000)';
  const [first] = filesOf(await server.call(write));
  assertEquals((await read(server, first?.uri)).blob.length, 800_000);
  const [second] = filesOf(await server.call(write));
  await assertRejects(() => read(server, first?.uri), { message: /dropped/ });
  assertEquals((await read(server, second?.uri)).blob.length, 800_000);
  const large = await server.call('open("a", "wb").write(b"\\0" * 2_000_000)');
  assertEquals(filesOf(large)[0]?.size, 2_000_000);
  assertEquals(filesOf(large)[0]?.uri, undefined);
});

Deno.test("small pictures are blocks, large ones and other files are links", async () => {
  const server = await shareServer();
  const { content } = await server.client.callTool({
    name: "run_python_code",
    arguments: {
      python_code:
        'import shutil\nfor n in "bc": shutil.copy("a.png", n + ".png")\nopen("d.png", "w").write("no picture\\0")\nopen("c.png", "ab").write(bytes(600_000))',
      files: [{ path: "a.png", base64: toPng().toBase64() }],
    },
  });
  assertEquals(
    content.map((block) => [
      block.type,
      block.type === "image" ? block.data === toPng().toBase64() : true,
      block.type === "resource_link" ? block.name : "",
    ]),
    [
      ["text", true, ""],
      ["image", true, ""],
      ["resource_link", true, "c.png"],
      ["resource_link", true, "d.png"],
    ],
  );
});

Deno.test("of very many files the first are listed, and all can be read", async () => {
  await using server = await startServer();
  const many = await server.call(
    'for n in range(1200): open(f"{n:04}", "w").write(str(n))',
  );
  assertEquals(filesOf(many).length, 100);
  assertEquals(many.structured.truncated, { files: 1200 });
  assertMatch(many.text, /1100 more: resources\/list has them/);
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await server.client.listResources(cursor ? { cursor } : {});
    names.push(...page.resources.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor);
  assertEquals(new Set(names).size, 1200);
});

Deno.test("a file too large for one message says how to read it in parts", async () => {
  const server = await shareServer();
  const [file] = filesOf(
    await server.call('open("a", "wb").write(b"\\0" * 9_000_000)'),
  );
  const error = await refusal(() => read(server, file?.uri));
  const [, range = ""] = /(\?offset=0&length=\d+)/.exec(String(error)) ?? [];
  const { blob } = await read(server, file?.uri + range);
  assertEquals(Uint8Array.fromBase64(blob).length, 6 * 2 ** 20);
});

Deno.test("file tools write, read and list what runs find and leave", async () => {
  await using server = await startServer(["--file-tools"]);
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, structuredContent, isError } = await server.client
      .callTool({ name, arguments: args });
    return { content, isError, ...Object(structuredContent) };
  };
  const { tools } = await server.client.listTools();
  assertEquals(tools.map(({ name }) => name), [
    ...["run_python_code", "list_sessions", "fork_session", "end_session"],
    ...["write_file", "read_file", "list_files"],
  ]);
  await call("write_file", { path: "in.txt", text: "äöü" });
  await call("write_file", { path: "gone.txt", text: "x" });
  const ran = await server.call(
    'import os; os.remove("gone.txt"); open("out/a.txt".replace("out/", ""), "w").write(open("in.txt").read() * 2)',
  );
  assertEquals(ran.returnValue, 6);
  const { files } = await call("list_files");
  assertEquals(files.map(({ path }: Listed) => path), ["a.txt", "in.txt"]);
  assert(
    files.every(({ modified }: { modified: string }) =>
      Math.abs(Date.parse(modified) - Date.now()) < 3600_000
    ),
  );
  assertEquals((await call("read_file", { path: "a.txt" })).text, "äöüäöü");
  const part = await call("read_file", { path: "a.txt", limit: 3 });
  assertEquals([part.text, part.next_offset], ["ä", 2]);
  const [kept] = filesOf(ran);
  assertEquals((await call("read_file", { uri: kept?.uri })).text, "äöüäöü");
  const own = await server.call('open("in.txt").read()', {
    files: [{ path: "in.txt", text: "own" }],
  });
  assertEquals(own.returnValue, "own");
  const { session } = (await server.call("1", { session: "new" })).structured;
  assertEquals((await call("list_files", { session })).files, []);
  await call("write_file", { path: "in.txt", text: "its own", session });
  const there = await server.call("open('in.txt').read()", { session });
  assertEquals([there.returnValue, filesOf(there)], ["its own", []]);
  assertEquals((await call("read_file", { path: "in.txt" })).text, "own");
  await server.call(
    "import os; os.symlink('/tmp/x', 'out'); open('/tmp/x', 'w')",
  );
  await call("write_file", { path: "p.png", base64: toPng().toBase64() });
  const { content } = await call("read_file", { path: "p.png" });
  assertEquals(content[0].type, "image");
  for (
    const [name, args, message] of [
      ["read_file", { path: "none" }, /no file "none"/],
      ["read_file", { path: "../x" }, /has "\.\." in it/],
      ["read_file", {}, /a path or a uri/],
      ["read_file", { uri: "run-python://x/y" }, /may have been dropped/],
      ["read_file", { path: "a.txt", offset: -1 }, /offset is -1/],
      ["read_file", { path: "a.txt", offset: 99 }, /has 12 bytes/],
      ["write_file", { path: "a.txt/b", text: "" }, /a file and a folder/],
      ["write_file", { path: "b", base64: "?" }, /wrong base64/],
      [
        "read_file",
        { path: "out" },
        /"out" of \/workspace as it is not a file/,
      ],
      ["list_files", { session: "x" }, /no session "x"/],
      ["list_files", { x: 1 }, /Unknown argument "x"/],
    ] as const
  ) {
    const refused = await call(name, args);
    assertEquals(refused.isError, true, name);
    assertMatch(refused.content[0].text, message);
  }
  await server.call("import os; os.abort()");
  const lost = await call("read_file", { path: "a.txt" });
  assertEquals(lost.isError, true);
  // The run's result has told that the files are gone.
  assertMatch(lost.content[0].text, /no file "a.txt"/);
  assertEquals((await call("list_files")).files, []);
});
