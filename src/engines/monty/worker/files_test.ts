import { assert, assertEquals } from "../../../../deps/assert.ts";
import { montyFiles } from "../../../../test/support/monty_files.ts";
import type { Json } from "../../../protocol/run_result.ts";

const W = "/workspace";
const bytes = (text: string) => ({ Bytes: btoa(text) });
const yes = { Bool: true };
const no = { Bool: false };

/** A file `a`, an empty folder `empty`, and a folder with a file in it. */
function open(limits = {}) {
  const opened = montyFiles(limits);
  const { call } = opened;
  call("Path.write_text", `${W}/a`, "héllo");
  call("Path.mkdir", `${W}/empty`);
  call("Path.mkdir", `${W}/sub`);
  call("Path.write_text", `${W}/sub/b`, "b");
  return opened;
}

Deno.test("Files.answer() leaves calls that are not of files to others", () => {
  const { files } = montyFiles();
  const answer = files.answer({ name: "os.getenv", args: [], kwargs: {} });
  assertEquals(answer, undefined);
  const other = files.answer({ name: "toString", args: [], kwargs: {} });
  assertEquals(other, undefined);
});

Deno.test("Files.answer() gives what each call gives in CPython", () => {
  const { call, callWith } = open();
  const cases: [Json, string, ...Json[]][] = [
    [{ Int: 5 }, "Path.write_text", `${W}/a`, "hé😀\r\n"],
    [{ String: "hé😀\r\n" }, "Path.read_text", `${W}/a`],
    [{ Int: 1 }, "Path.append_text", `${W}/a`, "é"],
    [{ String: "hé😀\r\né" }, "Path.read_text", `${W}/a`],
    [{ Int: 3 }, "Path.write_bytes", `${W}/c`, bytes("\0ab")],
    [{ Int: 2 }, "Path.append_bytes", `${W}/c`, bytes("cd")],
    [bytes("\0abcd"), "Path.read_bytes", `${W}/c`],
    [{ Int: 1 }, "Path.append_bytes", `${W}/made`, bytes("x")],
    [yes, "Path.exists", `${W}/a`],
    [yes, "Path.exists", "/"],
    [no, "Path.exists", `${W}/none`],
    [no, "Path.exists", `${W}/a/below`],
    [yes, "Path.is_file", `${W}/a`],
    [no, "Path.is_file", W],
    [yes, "Path.is_dir", W],
    [no, "Path.is_dir", `${W}/a`],
    [no, "Path.is_symlink", `${W}/a`],
    [no, "Path.is_symlink", `${W}/none`],
    [{ Path: `${W}/x` }, "Path.resolve", `${W}/sub/../x`],
    [{ Path: `${W}/x` }, "Path.absolute", `${W}/./x`],
    [{ List: [{ Path: `${W}/sub/b` }] }, "Path.iterdir", `${W}/sub`],
    [{ List: [{ Path: W }] }, "Path.iterdir", "/"],
    ["None", "Path.rename", `${W}/sub`, `${W}/moved`],
    [{ String: "b" }, "Path.read_text", `${W}/moved/b`],
    ["None", "Path.rename", `${W}/moved/b`, `${W}/c`],
    [{ String: "b" }, "Path.read_text", `${W}/c`],
    ["None", "Path.rename", `${W}/moved`, `${W}/empty`],
    ["None", "Path.rename", `${W}/c`, `${W}/c`],
    ["None", "Path.unlink", `${W}/c`],
    ["None", "Path.rmdir", `${W}/empty`],
    [no, "Path.exists", `${W}/empty`],
  ];
  for (const [expected, ...of] of cases) {
    assertEquals(call(...of), expected, JSON.stringify(of));
  }
  const made = callWith({ parents: true }, "Path.mkdir", `${W}/x/y/z`);
  assertEquals([made, call("Path.is_dir", `${W}/x/y/z`)], ["None", yes]);
  for (
    const kwargs of [{ exist_ok: true }, { exist_ok: true, parents: true }]
  ) {
    assertEquals(callWith(kwargs, "Path.mkdir", `${W}/x`), "None");
    assertEquals(callWith(kwargs, "Path.mkdir", "/"), "None");
  }
});

Deno.test("Files.answer() opens files as open() does, and keeps none open", () => {
  const { call } = open();
  const handle = (path: string, mode: string) => ({
    FileHandle: { path, mode, position: 0 },
  });
  assertEquals(call("open", `${W}/a`, "rb"), handle(`${W}/a`, "rb"));
  assertEquals(call("open", `${W}/a`, "a"), handle(`${W}/a`, "a"));
  assertEquals(call("Path.read_text", `${W}/a`), { String: "héllo" });
  assertEquals(call("open", `${W}/new`, "ab"), handle(`${W}/new`, "ab"));
  assertEquals(call("Path.read_text", `${W}/new`), { String: "" });
  assertEquals(call("open", `${W}/a`, "w"), handle(`${W}/a`, "w"));
  assertEquals(call("Path.read_text", `${W}/a`), { String: "" });
});

Deno.test("Files.answer() fails with the errors of CPython", () => {
  const { call, callWith } = open();
  call("Path.write_bytes", `${W}/binary`, bytes("a\xff"));
  const none = `'${W}/none'`;
  const absent = `FileNotFoundError: [Errno 2] No such file or directory: `;
  const folder = `IsADirectoryError: [Errno 21] Is a directory: `;
  const notFolder = `NotADirectoryError: [Errno 20] Not a directory: `;
  const denied = `PermissionError: [Errno 13] Permission denied: `;
  const exists = `FileExistsError: [Errno 17] File exists: `;
  const cases: [string, string, ...Json[]][] = [
    [absent + none, "Path.read_text", `${W}/none`],
    [absent + none, "Path.read_bytes", `${W}/none`],
    [absent + none, "Path.stat", `${W}/none`],
    [absent + none, "Path.iterdir", `${W}/none`],
    [absent + none, "Path.scan", `${W}/none`],
    [absent + none, "Path.unlink", `${W}/none`],
    [absent + none, "Path.rmdir", `${W}/none`],
    [absent + none, "open", `${W}/none`, "r"],
    [absent + `'${W}/none/x'`, "open", `${W}/none/x`, "w"],
    [absent + `'${W}/none/x'`, "Path.write_text", `${W}/none/x`, ""],
    [absent + `'${W}/none/x'`, "Path.mkdir", `${W}/none/x`],
    [absent + `${none} -> '${W}/x'`, "Path.rename", `${W}/none`, `${W}/x`],
    [absent + "''", "Path.read_text", ""],
    [absent + `"${W}/it's"`, "Path.stat", `${W}/it's`],
    [folder + `'${W}'`, "Path.read_text", W],
    [folder + `'${W}'`, "Path.write_text", W, "x"],
    [folder + `'/'`, "Path.write_bytes", "/", bytes("x")],
    [folder + `'${W}'`, "open", W, "r"],
    [folder + `'${W}'`, "open", W, "a"],
    [folder + `'${W}/sub'`, "Path.unlink", `${W}/sub`],
    [folder + `'${W}/a' -> '${W}/sub'`, "Path.rename", `${W}/a`, `${W}/sub`],
    [notFolder + `'${W}/a'`, "Path.iterdir", `${W}/a`],
    [notFolder + `'${W}/a'`, "Path.rmdir", `${W}/a`],
    [notFolder + `'${W}/a/x'`, "Path.read_text", `${W}/a/x`],
    [notFolder + `'${W}/a/x'`, "Path.mkdir", `${W}/a/x`],
    [notFolder + `'${W}/sub' -> '${W}/a'`, "Path.rename", `${W}/sub`, `${W}/a`],
    [exists + `'${W}/sub'`, "Path.mkdir", `${W}/sub`],
    [exists + `'${W}/a'`, "Path.mkdir", `${W}/a`],
    [exists + `'/'`, "Path.mkdir", "/"],
    [
      `OSError: [Errno 39] Directory not empty: '${W}/sub'`,
      "Path.rmdir",
      `${W}/sub`,
    ],
    [
      `OSError: [Errno 39] Directory not empty: '${W}/empty' -> '${W}/sub'`,
      "Path.rename",
      `${W}/empty`,
      `${W}/sub`,
    ],
    [
      `OSError: [Errno 22] Invalid argument: '${W}/sub' -> '${W}/sub/x'`,
      "Path.rename",
      `${W}/sub`,
      `${W}/sub/x`,
    ],
    ["OSError: [Errno 16] Device or resource busy: '/'", "Path.rmdir", "/"],
    [denied + "'/x'", "Path.write_text", "/x", ""],
    [denied + "'/x'", "Path.mkdir", "/x"],
    [denied + `'${W}'`, "Path.rmdir", W],
    [denied + `'${W}' -> '/x'`, "Path.rename", W, "/x"],
    [denied + `'${W}/a' -> '/x'`, "Path.rename", `${W}/a`, "/x"],
    ["ValueError: embedded null byte", "Path.read_text", `${W}/a\0b`],
    [
      "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 1: invalid start byte",
      "Path.read_text",
      `${W}/binary`,
    ],
  ];
  for (const [expected, ...of] of cases) {
    assertEquals(call(...of), expected, JSON.stringify(of));
  }
  for (
    const kwargs of [{ exist_ok: true }, { exist_ok: true, parents: true }]
  ) {
    assertEquals(
      callWith(kwargs, "Path.mkdir", `${W}/a`),
      exists + `'${W}/a'`,
    );
  }
  const below = callWith({ parents: true }, "Path.mkdir", `${W}/a/x/y`);
  assertEquals(below, notFolder + `'${W}/a/x/y'`);
  assertEquals(call("Path.exists", `${W}/a\0b`), no);
});

Deno.test("Files.answer() gives sizes, kinds and times by stat", () => {
  const { call } = open();
  const fields = (path: string) => {
    const answer = JSON.parse(JSON.stringify(call("Path.stat", path)));
    const { type_name, field_names, values } = answer.NamedTuple;
    assertEquals(type_name, "StatResult");
    return new Map<string, number>(
      field_names.map((name: string, at: number) => [
        name,
        Object.values(values[at])[0],
      ]),
    );
  };
  const before = Date.now() / 1000;
  call("Path.append_text", `${W}/a`, "!");
  const file = fields(`${W}/a`);
  assertEquals(file.size, 10);
  assertEquals(file.get("st_size"), 7);
  assertEquals(file.get("st_mode"), 0o100644);
  assert((file.get("st_mtime") ?? 0) >= before);
  assertEquals(fields(W).get("st_mode"), 0o040755);
  assertEquals(fields("/").get("st_mode"), 0o040555);
  assertEquals(fields(W).get("st_nlink"), 2);
});

Deno.test("Files.answer() scans a tree as deep as it was asked", () => {
  const { callWith } = open();
  callWith({}, "Path.mkdir", `${W}/sub/deep`);
  const scan = (kwargs: Record<string, Json>, path = W) =>
    callWith(kwargs, "Path.scan", path);
  const entry = (path: string, isFolder: boolean) => ({
    Tuple: [
      { String: path },
      { Bool: isFolder },
      { Bool: !isFolder },
      { Bool: false },
    ],
  });
  const root = entry("", true);
  const top = [entry("a", false), entry("empty", true), entry("sub", true)];
  const below = [entry("sub/b", false), entry("sub/deep", true)];
  assertEquals(scan({ max_depth: 0 }), { List: [root] });
  assertEquals(scan({ max_depth: 1 }), { List: [root, ...top] });
  assertEquals(scan({ max_depth: null }), { List: [root, ...top, ...below] });
  assertEquals(scan({}, `${W}/a`), { List: [entry("", false)] });
});

Deno.test("Files bounds the bytes of the working folder, and counts what is freed", () => {
  const { call, files } = montyFiles({ bytes: 10 });
  const full = "OSError: [Errno 28] No space left on device: ";
  const fill = (path: string, length: number) =>
    call("Path.write_text", `${W}/${path}`, "x".repeat(length));
  assertEquals(fill("a", 11), full + `'${W}/a'`);
  assertEquals(call("Path.exists", `${W}/a`), no);
  assertEquals(fill("a", 6), { Int: 6 });
  assertEquals(fill("b", 5), full + `'${W}/b'`);
  assertEquals(fill("b", 4), { Int: 4 });
  assertEquals(call("Path.append_text", `${W}/a`, "x"), full + `'${W}/a'`);
  assertEquals(call("Path.append_text", `${W}/a`, ""), { Int: 0 });
  assertEquals(fill("a", 3), { Int: 3 });
  assertEquals(call("Path.append_text", `${W}/b`, "xxx"), { Int: 3 });
  call("Path.unlink", `${W}/a`);
  assertEquals(fill("a", 3), { Int: 3 });
  // A file that another takes the place of is gone, too.
  call("Path.rename", `${W}/a`, `${W}/b`);
  assertEquals(fill("a", 7), { Int: 7 });
  const left = files.put([{ path: "c", bytes: new Uint8Array(1) }]);
  assertEquals(left, [`"c": there is no room for it (--max-files-size)`]);
});

Deno.test("Files bounds the files and folders of the working folder", () => {
  const { call } = montyFiles({ nodes: 3 });
  const full = "OSError: [Errno 28] No space left on device: ";
  const touch = (path: string) => call("Path.write_text", `${W}/${path}`, "");
  assertEquals(touch("a"), { Int: 0 });
  assertEquals(call("Path.mkdir", `${W}/b`), "None");
  assertEquals(touch("b/c"), { Int: 0 });
  assertEquals(touch("d"), full + `'${W}/d'`);
  assertEquals(call("Path.mkdir", `${W}/d`), full + `'${W}/d'`);
  assertEquals(call("open", `${W}/d`, "a"), full + `'${W}/d'`);
  call("Path.unlink", `${W}/b/c`);
  call("Path.rmdir", `${W}/b`);
  assertEquals(touch("d"), { Int: 0 });
  assertEquals(touch("e"), { Int: 0 });
  assertEquals(touch("f"), full + `'${W}/f'`);
});

Deno.test("Files.answer() refuses long names, long paths and deep paths", () => {
  const { call, callWith } = montyFiles({ nodes: 1000 });
  const tooLong = "OSError: [Errno 36] File name too long: ";
  const name = "é".repeat(127) + "x";
  assertEquals(call("Path.write_text", `${W}/${name}`, ""), { Int: 0 });
  const longer = `${W}/${name}x`;
  assertEquals(
    call("Path.write_text", longer, ""),
    `${tooLong}'${longer}'`,
  );
  assertEquals(call("Path.exists", longer), no);
  const long = `${W}/${"a/".repeat(2100)}`;
  assertEquals(
    call("Path.stat", long),
    `${tooLong}'/workspace/a/a/a/a/a…a/a/a/a/a/a/a/a/a/a/'`,
  );
  const deep = W + "/d".repeat(101);
  assertEquals(callWith({ parents: true }, "Path.mkdir", deep), "None");
  assertEquals(call("Path.mkdir", `${deep}/d`), `${tooLong}'${deep}/d'`);
});
