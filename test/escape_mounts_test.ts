/**
 * Ways out of a mount. Deno's flags check a path as it is written and follow the
 * links on it, so it is our own file system that keeps these.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals } from "../deps/assert.ts";
import { onEachPyodide } from "./support/each_pyodide.ts";
import { type TempFolder, tempFolder } from "./support/folder.ts";
import { startServer, type TestServer } from "./support/server.ts";

interface Place extends AsyncDisposable {
  folder: TempFolder;
  server: TestServer;
  /** What each step came to: an exception's name, or its value. */
  tries(steps: Record<string, string>): Promise<Record<string, unknown>>;
  /** Fails if anything outside, or of what is read-only, is not as it was. */
  assertUntouched(): Promise<void>;
}

/** A secret beside two mounts, that links in both lead to. */
async function open(options: string[]): Promise<Place> {
  const folder = await tempFolder();
  const [outside, ro, rw] = await folder.make("outside", "ro", "rw");
  await Deno.writeTextFile(join(outside, "secret"), "secret");
  for (const mount of [ro, rw]) {
    await Deno.writeTextFile(join(mount, "a"), "kept");
    await Deno.mkdir(join(mount, "sub"));
    await Deno.writeTextFile(join(mount, "sub/b"), "kept");
    await Deno.mkdir(join(mount, "deep/er"), { recursive: true });
    await Deno.symlink(outside, join(mount, "deep/er/link"));
    await Deno.symlink("../outside/secret", join(mount, "link"));
    await Deno.symlink(outside, join(mount, "folder"));
    await Deno.symlink("/proc/self/root", join(mount, "root"));
    await Deno.symlink("/", join(mount, "top"));
    await Deno.symlink("..", join(mount, "up"));
    await Deno.symlink("link", join(mount, "chain"));
  }
  const server = await startServer([
    ...options,
    ...["--mount", `${ro}:/mnt/ro`, "--mount", `${rw}:/mnt/rw:rw`],
  ]);
  const names = async (path: string) =>
    (await Array.fromAsync(Deno.readDir(path))).map(({ name }) => name).sort();
  const before = [await names(ro), await Deno.stat(join(ro, "a"))] as const;
  return {
    folder,
    server,
    async tries(steps) {
      const code = Object.entries(steps).map(([name, step]) =>
        `def step():\n    ${step.replaceAll("\n", "\n    ")}\ntry: came[${
          JSON.stringify(name)
        }] = step()\nexcept BaseException as error: came[${
          JSON.stringify(name)
        }] = type(error).__name__`
      ).join("\n");
      const { returnValue, text } = await server.call(
        `import mmap, os, pathlib, shutil\nimport pyodide_js\nfrom pyodide.ffi import to_js\nFS = pyodide_js.FS\ncame = {}\n${code}\ncame`,
      );
      assert(returnValue !== undefined, text);
      return { ...Object(returnValue) };
    },
    async assertUntouched() {
      assertEquals(await names(outside), ["secret"]);
      assertEquals(await Deno.readTextFile(join(outside, "secret")), "secret");
      assertEquals(await names(folder.path), ["outside", "ro", "rw"]);
      assertEquals(await names(ro), before[0]);
      const { mtime, mode, size } = await Deno.stat(join(ro, "a"));
      assertEquals(
        { mtime, mode, size },
        {
          mtime: before[1].mtime,
          mode: before[1].mode,
          size: before[1].size,
        },
      );
      assertEquals(await Deno.readTextFile(join(ro, "sub/b")), "kept");
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const FAILED = /Error$|Exception$/;
function assertFailed(came: Record<string, unknown>): void {
  for (const [name, what] of Object.entries(came)) {
    assert(
      typeof what === "string" && FAILED.test(what),
      `${name} gave ${JSON.stringify(what)}`,
    );
  }
}

onEachPyodide(
  "escape: no link and no .. leads out of a mount",
  async (options) => {
    await using place = await open(options);
    const paths = [
      ...["link", "chain", "folder/secret", "up/outside/secret"],
      ...["root/etc/passwd", "top/etc/passwd", "../outside/secret"],
      ...[
        "sub/../../outside/secret",
        "../../etc/passwd",
        "..%2foutside/secret",
      ],
    ];
    const steps: Record<string, string> = {};
    for (const mount of ["/mnt/ro", "/mnt/rw"]) {
      for (const path of paths) {
        const file = JSON.stringify(`${mount}/${path}`);
        steps[`read ${file}`] = `return open(${file}).read()`;
        steps[`stat ${file}`] = `return os.stat(${file}).st_size`;
        steps[`write ${file}`] = `return open(${file}, "w").write("x")`;
        steps[`append ${file}`] = `return open(${file}, "a").write("x")`;
        steps[`cut ${file}`] = `return str(os.truncate(${file}, 0))`;
        steps[`times ${file}`] = `return str(os.utime(${file}))`;
        steps[`chmod ${file}`] = `return str(os.chmod(${file}, 0o777))`;
      }
      for (const path of ["folder", "up", "root", "top"]) {
        const it = JSON.stringify(`${mount}/${path}`);
        steps[`list ${it}`] = `return os.listdir(${it})`;
        steps[`make in ${it}`] = `return str(os.mkdir(${it} + "/made"))`;
        steps[`readlink ${it}`] = `return os.readlink(${it})`;
        steps[`enter ${it}`] = `os.chdir(${it})\nreturn open("secret").read()`;
      }
    }
    assertFailed(await place.tries(steps));
    await place.assertUntouched();
  },
);

onEachPyodide(
  "escape: a file that has another name outside of a mount is read, and replaced alone",
  async (options) => {
    await using place = await open(options);
    const secret = join(place.folder.path, "outside/secret");
    await Deno.link(secret, join(place.folder.path, "rw/hard"));
    const { mtime, mode } = await Deno.stat(secret);
    assertFailed(
      await place.tries({
        write: 'return open("/mnt/rw/hard", "w").write("x")',
        append: 'return open("/mnt/rw/hard", "a").write("x")',
        both: 'return open("/mnt/rw/hard", "r+").write("x")',
        cut: 'return str(os.truncate("/mnt/rw/hard", 0))',
        times: 'return str(os.utime("/mnt/rw/hard"))',
        chmod: 'return str(os.chmod("/mnt/rw/hard", 0o777))',
        copy: 'return shutil.copy("/mnt/rw/a", "/mnt/rw/hard")',
      }),
    );
    const { mtime: later, mode: now } = await Deno.stat(secret);
    assertEquals([later, now], [mtime, mode]);
    const came = await place.tries({
      read: 'return open("/mnt/rw/hard").read()',
      replace:
        'os.rename("/mnt/rw/a", "/mnt/rw/hard")\nreturn open("/mnt/rw/hard", "w").write("new")',
    });
    assertEquals(came, { read: "secret", replace: 3 });
    await place.assertUntouched();
  },
  Deno.build.os === "windows",
);

onEachPyodide(
  "escape: nothing is moved out of a mount, or linked",
  async (options) => {
    await using place = await open(options);
    assertFailed(
      await place.tries({
        up: 'return str(os.rename("/mnt/rw/a", "/mnt/rw/../outside/a"))',
        link: 'return str(os.rename("/mnt/rw/a", "/mnt/rw/folder/a"))',
        steal: 'return str(os.rename("/mnt/rw/folder/secret", "/mnt/rw/x"))',
        other: 'return str(os.rename("/mnt/rw/a", "/mnt/ro/x"))',
        workspace: 'return str(os.rename("/mnt/rw/a", "/workspace/x"))',
        "a link": 'return str(os.rename("/mnt/rw/link", "/mnt/rw/x"))',
        "a folder with a link":
          'return str(os.rename("/mnt/rw/deep", "/mnt/rw/x"))',
        symlink: 'return str(os.symlink("/etc", "/mnt/rw/x"))',
        inside: 'return str(os.symlink("a", "/mnt/rw/x"))',
        hard: 'return str(os.link("/mnt/rw/a", "/mnt/rw/x"))',
        fifo: 'return str(os.mkfifo("/mnt/rw/x"))',
        device: 'return str(os.mknod("/mnt/rw/x", 0o20666))',
        fs: 'return str(FS.symlink("/etc", "/mnt/rw/x"))',
        makedev: 'return str(FS.mkdev("/mnt/rw/x", 0o666, 259))',
      }),
    );
    await place.assertUntouched();
  },
);

onEachPyodide(
  "escape: what is read-only stays as it is, whatever is tried",
  async (options) => {
    await using place = await open(options);
    const a = '"/mnt/ro/a"';
    assertFailed(
      await place.tries({
        ...Object.fromEntries(
          ["w", "a", "r+", "x", "wb+"].map((mode) => [
            `open ${mode}`,
            `return open(${a}, "${mode}").write("x" if "b" not in "${mode}" else b"x")`,
          ]),
        ),
        create: 'return open("/mnt/ro/new", "w").write("x")',
        cut: `return str(os.truncate(${a}, 0))`,
        "cut an open one":
          `return str(os.ftruncate(os.open(${a}, os.O_RDONLY), 0))`,
        "write an open one":
          `return os.write(os.open(${a}, os.O_RDONLY), b"x")`,
        chmod: `return str(os.chmod(${a}, 0o777))`,
        "chmod an open one":
          `return str(os.fchmod(os.open(${a}, os.O_RDONLY), 0o777))`,
        utime: `return str(os.utime(${a}))`,
        remove: `return str(os.remove(${a}))`,
        rename: `return str(os.rename(${a}, "/mnt/ro/x"))`,
        replace: `return str(os.replace("/mnt/rw/a", ${a}))`,
        mkdir: 'return str(os.mkdir("/mnt/ro/x"))',
        rmdir: 'return str(os.rmdir("/mnt/ro/sub"))',
        rmtree: 'return str(shutil.rmtree("/mnt/ro/sub"))',
        mmap:
          `return mmap.mmap(os.open(${a}, os.O_RDONLY), 0, access=mmap.ACCESS_WRITE)[0]`,
        "chmod of the mount": 'return str(os.chmod("/mnt/ro", 0o777))',
        FS: `return str(FS.writeFile(${a}, "x"))`,
      }),
    );
    await place.assertUntouched();
  },
);

onEachPyodide(
  "escape: what calls the file system by itself gets no further",
  async (options) => {
    await using place = await open(options);
    const node = 'node = FS.lookupPath("/mnt/rw").node\n';
    const readOnly = 'node = FS.lookupPath("/mnt/ro").node\n';
    assertFailed(
      await place.tries({
        "lookup ..": `${node}return node.node_ops.lookup(node, "..").id`,
        "lookup a path":
          `${node}return node.node_ops.lookup(node, "../outside/secret").id`,
        "make a path":
          `${node}return node.node_ops.mknod(node, "../outside/x", 0o100666, 0).id`,
        "unlink a path":
          `${node}return str(node.node_ops.unlink(node, "../outside/secret"))`,
        "rename to a path":
          `${node}child = FS.lookupPath("/mnt/rw/a").node\nreturn str(node.node_ops.rename(child, node, "../outside/x"))`,
        "a node of another mount":
          `${node}other = FS.lookupPath("/mnt/ro/a").node\nreturn str(node.node_ops.rename(other, node, "x"))`,
        "a forged node":
          `${node}import js\nforged = js.Object.assign(js.Object.new(), node)\nforged.name = "../outside"\nreturn list(node.node_ops.readdir(forged))`,
        "a forged name":
          `child = FS.lookupPath("/mnt/rw/sub").node\nchild.name = "../outside"\nreturn open("/mnt/rw/sub/secret").read()`,
        "write what is read-only":
          `stream = FS.open("/mnt/ro/a", "r")\nbuffer = to_js(b"xxxx")\nreturn stream.stream_ops.write(stream, buffer, 0, 4, 0)`,
        "open it to write":
          `stream = FS.open("/mnt/ro/a", "r")\nstream.flags = 2\nreturn str(stream.stream_ops.open(stream))`,
        "change it":
          `${readOnly}child = FS.lookupPath("/mnt/ro/a").node\nfrom pyodide.ffi import to_js\nimport js\nreturn str(child.node_ops.setattr(child, to_js({"size": 0}, dict_converter=js.Object.fromEntries)))`,
      }),
    );
    await place.assertUntouched();
    const seen = await place.tries({
      deno:
        "import js\nreturn [hasattr(js, name) for name in ('Deno', 'process')]",
    });
    assertEquals(seen.deno, [false, false]);
  },
);

onEachPyodide(
  "escape: a mount's pipes and devices keep nobody waiting",
  async (options) => {
    if (Deno.build.os === "windows") return;
    await using place = await open(options);
    const pipe = join(place.folder.path, "ro", "pipe");
    const { success } = await new Deno.Command("mkfifo", { args: [pipe] })
      .output();
    assert(success);
    const seen = await place.tries({
      read: 'return open("/mnt/ro/pipe").read()',
      list: 'return "pipe" in os.listdir("/mnt/ro")',
      kind: 'import stat\nreturn stat.S_ISREG(os.stat("/mnt/ro/pipe").st_mode)',
    });
    assertEquals(seen, { read: "PermissionError", list: true, kind: false });
    await Deno.remove(pipe);
  },
);

onEachPyodide(
  "escape: a folder that becomes a link while Python knows it leads nowhere",
  async (options) => {
    await using place = await open(options);
    const rw = join(place.folder.path, "rw");
    const watcher = Deno.watchFs(rw, { recursive: false });
    const running = place.server.call(`
import os, time
known = open("/mnt/rw/sub/b").read(), os.listdir("/mnt/rw/sub")
open("/mnt/rw/ready", "w").close()
while not os.path.exists("/mnt/rw/go"): time.sleep(0.01)
came = []
for step in (
    lambda: open("/mnt/rw/sub/secret").read(),
    lambda: os.listdir("/mnt/rw/sub"),
    lambda: os.stat("/mnt/rw/sub/secret"),
    lambda: open("/mnt/rw/sub/made", "w"),
    lambda: os.mkdir("/mnt/rw/sub/made"),
    lambda: os.remove("/mnt/rw/sub/secret"),
    lambda: os.rename("/mnt/rw/sub/secret", "/mnt/rw/stolen"),
):
    try: came.append(str(step()))
    except OSError: came.append("OSError")
came`);
    for await (const { paths } of watcher) {
      if (paths.some((path) => path.endsWith("ready"))) break;
    }
    await Deno.remove(join(rw, "sub"), { recursive: true });
    await Deno.symlink("../outside", join(rw, "sub"));
    await Deno.writeTextFile(join(rw, "go"), "");
    const { returnValue, text } = await running;
    assertEquals(returnValue, Array(7).fill("OSError"), text);
    await place.assertUntouched();
  },
);

onEachPyodide(
  "escape: nor does a pipe that code cuts by itself",
  async (options) => {
    if (Deno.build.os === "windows") return;
    await using place = await open(options);
    const pipe = join(place.folder.path, "rw", "pipe");
    const { success } = await new Deno.Command("mkfifo", { args: [pipe] })
      .output();
    assert(success);
    const { status, text } = await place.server.call(
      `
import js, pyodide_js
from pyodide.ffi import to_js
node = pyodide_js.FS.lookupPath("/mnt/rw/pipe").node
node.node_ops.setattr(node, to_js({"size": 0}, dict_converter=js.Object.fromEntries))`,
      { timeout: 300 },
    );
    assertEquals(status, "run-error", text);
  },
);
