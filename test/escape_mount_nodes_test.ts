/**
 * Ways out of a mount for code that calls its file system by itself: names that
 * Python's own functions never hand over, and files that were replaced by links
 * since they were looked up. Interpreters are started in this process, as a
 * sandbox process starts them: worker and permissions are the real ones.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals } from "../deps/assert.ts";
import { type TempFolder, tempFolder } from "./support/folder.ts";
import { readFiles, runIn } from "./support/interpreter.ts";

/** Errors by their numbers in Emscripten's C library. */
const ACCESS = 2;
const EXISTS = 20;
const INVALID = 28;
const TOO_LONG = 37;
const NOT_PERMITTED = 63;
const READ_ONLY = 69;
const OTHER_DEVICE = 75;

/** Calls the file system's functions; what fails comes to its number. */
const CALLS = `
import errno, js, os, pyodide_js
from pyodide.ffi import to_js
FS = pyodide_js.FS
def node_of(path):
    return FS.lookupPath(path).node
def of(**values):
    return to_js(values, dict_converter=js.Object.fromEntries)
# Pyodide hands on an error as it is if that has these.
FS.ErrnoError.prototype.stack = FS.ErrnoError.prototype.message = ""
def call(function, *arguments):
    try:
        function(*arguments)
        return "done"
    except Exception as error:
        return getattr(error.js_error, "errno", str(error))
`;

interface Place extends AsyncDisposable {
  folder: TempFolder;
  rw: string;
  outside: string;
  run(
    code: string,
    onPrint?: (text: string) => Promise<void>,
  ): Promise<unknown>;
  /** Fails if anything outside is not as it was. */
  assertUntouched(): Promise<void>;
}

/** Two mounts, with links to a folder beside them. */
async function open(): Promise<Place> {
  const folder = await tempFolder();
  const [outside, ro, rw] = await folder.make("outside", "ro", "rw");
  await Deno.mkdir(join(outside, "empty"));
  for (const name of ["secret", "b"]) {
    const path = join(outside, name);
    await Deno.writeTextFile(path, "secret");
    await Deno.chmod(path, 0o640);
    await Deno.utime(path, 1000, 1000);
  }
  await Deno.writeTextFile(join(ro, "a"), "kept");
  await Deno.writeTextFile(join(rw, "a"), "kept");
  await Deno.mkdir(join(rw, "sub"));
  await Deno.writeTextFile(join(rw, "sub/b"), "kept");
  await Deno.mkdir(join(rw, "deep/er"), { recursive: true });
  await Deno.symlink(outside, join(rw, "deep/er/link"));
  await Deno.symlink(outside, join(rw, "folder"));
  await Deno.symlink("../outside/made", join(rw, "dangling"));
  await Deno.symlink("../outside/secret", join(rw, "link"));
  // Its name starts as that of the mount does.
  await Deno.mkdir(join(folder.path, "rw2"));
  await Deno.symlink("../rw2", join(rw, "sibling"));
  const files = await readFiles({
    mounts: [
      { host: ro, guest: "/mnt/ro", isWritable: false },
      { host: rw, guest: "/mnt/rw", isWritable: true },
    ],
  });
  const look = async () =>
    await Promise.all(
      ["secret", "b"].map(async (name) => {
        const path = join(outside, name);
        const { mode, mtime, size } = await Deno.stat(path);
        return [mode, mtime?.getTime(), size, await Deno.readTextFile(path)];
      }),
    );
  const before = await look();
  return {
    folder,
    rw,
    outside,
    run: (code, onPrint) =>
      runIn(files, CALLS + code, onPrint ? { onPrint } : {}),
    async assertUntouched() {
      const names = await Array.fromAsync(
        Deno.readDir(outside),
        ({ name }) => name,
      );
      assertEquals(names.sort(), ["b", "empty", "secret"]);
      assertEquals(await look(), before);
      assertEquals(await Deno.readTextFile(join(folder.path, "ro/a")), "kept");
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

Deno.test("escape: a name with a slash does not lead through a link of a mount", async () => {
  await using place = await open();
  const seen = await place.run(`
node, a = node_of("/mnt/rw"), node_of("/mnt/rw/a")
sub = node_of("/mnt/rw/sub")
ops = node.node_ops
[
    call(ops.lookup, node, "folder/secret"),
    call(ops.mknod, node, "folder/x", 0o100666, 0),
    call(ops.mknod, node, "folder/x", 0o040777, 0),
    call(ops.unlink, node, "folder/secret"),
    call(ops.rmdir, node, "folder/empty"),
    call(ops.rename, a, node, "folder/x"),
    call(ops.mknod, node, "dangling", 0o100666, 0),
    *[call(ops.lookup, sub, name) for name in ("", ".", "..", "b\\0", 5)],
    call(ops.lookup, sub, "b" * 256),
]`);
  assertEquals(seen, [
    ...Array(6).fill(INVALID),
    ...[EXISTS, INVALID, INVALID, INVALID, INVALID, INVALID, TOO_LONG],
  ]);
  await place.assertUntouched();
});

Deno.test("escape: what is read-only is refused by the mount itself", async () => {
  await using place = await open();
  const seen = await place.run(`
node, a = node_of("/mnt/ro"), node_of("/mnt/ro/a")
ops = node.node_ops
stream = FS.open("/mnt/ro/a", "r")
stream.flags = 2
[
    call(ops.mknod, node, "x", 0o100666, 0),
    call(ops.unlink, node, "a"),
    call(ops.rename, a, node, "x"),
    call(ops.setattr, a, of(mode=0o777)),
    call(stream.stream_ops.open, stream),
    call(stream.stream_ops.write, stream, to_js(b"x"), 0, 1, 0),
    call(ops.symlink, node, "x", "/etc"),
    os.stat("/mnt/ro/a").st_mode & 0o222,
    os.stat("/mnt/ro").st_mode & 0o222,
]`);
  assertEquals(seen, [...Array(7).fill(READ_ONLY), 0, 0]);
  await place.assertUntouched();
});

Deno.test("escape: a file of a mount does not run as its owner, whatever mode it is given", async () => {
  await using place = await open();
  const seen = await place.run(`
node = node_of("/mnt/rw")
os.chmod("/mnt/rw/a", 0o7755)
os.chmod("/mnt/rw/sub", 0o7755)
node.node_ops.mknod(node, "file", 0o107755, 0)
node.node_ops.mknod(node, "folder2", 0o047755, 0)
node.node_ops.setattr(node_of("/mnt/rw/sub/b"), of(mode=0o107755))
None`);
  assertEquals(seen, null);
  for (const name of ["a", "sub", "file", "folder2", "sub/b"]) {
    const { mode } = await Deno.stat(join(place.rw, name));
    assertEquals((mode ?? 0) & 0o7000, 0, name);
  }
});

Deno.test("escape: a link of a mount is not moved, and not read where it leads out", async () => {
  await using place = await open();
  const seen = await place.run(`
node = node_of("/mnt/rw")
ops = node.node_ops
link, deep = ops.lookup(node, "link"), node_of("/mnt/rw/deep")
forged = js.Object.assign(js.Object.new(), node)
[
    call(ops.rename, link, node, "x"),
    call(ops.rename, deep, node, "x"),
    call(ops.symlink, node, "x", "/etc"),
    *[call(ops.readlink, ops.lookup(node, name)) for name in ("link", "folder", "sibling")],
    call(link.stream_ops.open, of(node=link, flags=0, shared=js.Object.new())),
    call(ops.readdir, forged),
    call(ops.rename, node_of("/mnt/ro/a"), node, "x"),
    call(ops.mknod, node, "pipe", 0o010666, 0),
]`);
  assertEquals(seen, [
    ...[NOT_PERMITTED, OTHER_DEVICE, NOT_PERMITTED],
    ...[ACCESS, ACCESS, ACCESS, ACCESS],
    ...[OTHER_DEVICE, OTHER_DEVICE, NOT_PERMITTED],
  ]);
  await place.assertUntouched();
});

Deno.test("escape: a file or folder that became a link since it was looked up leads nowhere", async () => {
  await using place = await open();
  const { rw } = place;
  let hasSwapped = false;
  const seen = await place.run(
    `
import time
a, sub, b = node_of("/mnt/rw/a"), node_of("/mnt/rw/sub"), node_of("/mnt/rw/sub/b")
root, ops = node_of("/mnt/rw"), a.node_ops
def opened(node, flags):
    return call(a.stream_ops.open, of(node=node, flags=flags, shared=js.Object.new()))
def tried(function, *arguments):
    try:
        return str(function(*arguments))
    except OSError as error:
        return errno.errorcode[error.errno]
print("known", flush=True)
while not os.path.exists("/mnt/rw/swapped"): time.sleep(0.01)
[
    tried(os.chmod, "/mnt/rw/a", 0o777),
    tried(os.utime, "/mnt/rw/a"),
    tried(os.truncate, "/mnt/rw/a", 0),
    tried(os.rename, "/mnt/rw/sub/b", "/mnt/rw/stolen"),
    tried(os.stat, "/mnt/rw/sub/b"),
    call(ops.setattr, a, of(mode=0o777)),
    call(ops.setattr, a, of(timestamp=5)),
    call(ops.setattr, a, of(size=0)),
    opened(a, 0),
    opened(a, 2),
    call(ops.setattr, b, of(mode=0o777)),
    call(ops.setattr, b, of(timestamp=5)),
    call(ops.getattr, b),
    call(ops.rename, b, root, "stolen"),
    opened(b, 0),
    call(ops.readdir, sub),
    call(ops.lookup, sub, "secret"),
    call(ops.mknod, sub, "made", 0o100666, 0),
    call(ops.unlink, sub, "secret"),
    call(ops.rmdir, sub, "empty"),
]`,
    async (text) => {
      if (!text.includes("known") || hasSwapped) return;
      hasSwapped = true;
      await Deno.remove(join(rw, "a"));
      await Deno.symlink("../outside/secret", join(rw, "a"));
      await Deno.remove(join(rw, "sub"), { recursive: true });
      await Deno.symlink("../outside", join(rw, "sub"));
      await Deno.writeTextFile(join(rw, "swapped"), "");
    },
  );
  assert(Array.isArray(seen));
  assertEquals(seen, [...Array(5).fill("EACCES"), ...Array(15).fill(ACCESS)]);
  await place.assertUntouched();
});

Deno.test("escape: an error of a mount does not tell where on the machine it is", async () => {
  await using place = await open();
  const said = await place.run(`
node, a = node_of("/mnt/rw"), node_of("/mnt/rw/a")
ops, kept = node.node_ops, FS.ErrnoError
said = []
def collect():
    for function, *arguments in (
        (ops.lookup, node, "missing"),
        (ops.mknod, node, "a", 0o100666, 0),
        (ops.mknod, node, "sub", 0o040777, 0),
        (ops.rmdir, node, "deep"),
        (ops.rename, a, node, "sub"),
    ):
        try:
            function(*arguments)
            said.append("done")
        except BaseException as error:
            said.append(str(error) + str(getattr(error.js_error, "stack", "")))
# The class that tells an error of the file system's own.
FS.ErrnoError = js.Error
collect()
FS.ErrnoError = kept
# It takes each object for one of its own.
always = js.Object.fromEntries([["value", js.Object.isExtensible]])
js.Object.defineProperty(kept, js.Symbol.hasInstance, always)
collect()
said`);
  assert(Array.isArray(said));
  assertEquals(said.length, 10);
  assert(!said.includes("done"));
  assert(!JSON.stringify(said).includes(place.folder.path), said.join("\n"));
});
