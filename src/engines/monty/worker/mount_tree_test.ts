import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../../../../deps/assert.ts";
import {
  assertProperty,
  constantFrom,
  oneof,
  property,
  string,
  tuple,
} from "../../../../deps/fast_check.ts";
import { namesIn, tempFolder } from "../../../../test/support/folder.ts";
import {
  type MontyFiles,
  montyFiles,
} from "../../../../test/support/monty_files.ts";
import type { Json } from "../../../protocol/run_result.ts";
import { MOST_READ } from "./mount_tree.ts";

const yes = { Bool: true };
const no = { Bool: false };

interface Mounts extends MontyFiles, AsyncDisposable {
  /** Folders of this machine. */
  outside: string;
  ro: string;
  rw: string;
}

/** A folder beside two mounts, which have a file each. */
async function open(): Promise<Mounts> {
  const folder = await tempFolder();
  const [outside, ro, rw] = await folder.make("outside", "ro", "rw");
  await Deno.writeTextFile(join(outside, "secret"), "secret");
  await Deno.writeTextFile(join(ro, "a"), "kept");
  await Deno.writeTextFile(join(rw, "a"), "kept");
  const opened = montyFiles({
    mounts: [
      { host: ro, guest: "/mnt/ro", isWritable: false },
      { host: rw, guest: "/mnt/rw", isWritable: true },
    ],
  });
  return {
    ...{ ...opened, outside, ro, rw },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

Deno.test("Python on Monty reads a mount, and writes to one that is writable", async () => {
  await using mounts = await open();
  const { call, callWith, rw } = mounts;
  assertEquals(call("Path.read_text", "/mnt/ro/a"), { String: "kept" });
  assertEquals(call("Path.iterdir", "/mnt/ro"), {
    List: [{ Path: "/mnt/ro/a" }],
  });
  assertEquals(call("Path.iterdir", "/mnt"), {
    List: [{ Path: "/mnt/ro" }, { Path: "/mnt/rw" }],
  });
  assertEquals(call("Path.write_text", "/mnt/rw/new", "é1"), { Int: 2 });
  assertEquals(call("Path.append_text", "/mnt/rw/new", "2"), { Int: 1 });
  assertEquals(await Deno.readTextFile(join(rw, "new")), "é12");
  assertEquals(call("Path.write_text", "/mnt/rw/new", "3"), { Int: 1 });
  assertEquals(await Deno.readTextFile(join(rw, "new")), "3");
  const made = callWith({ parents: true }, "Path.mkdir", "/mnt/rw/x/y");
  assertEquals(made, "None");
  call("Path.rename", "/mnt/rw/new", "/mnt/rw/x/y/moved");
  assertEquals(await Deno.readTextFile(join(rw, "x/y/moved")), "3");
  // A mount is not the working folder: nothing of it comes back.
  assertEquals([...mounts.files.changes()], []);
});

Deno.test("a mount on Monty that is read-only stays as it is", async () => {
  await using mounts = await open();
  const { call, ro } = mounts;
  const refused: [string, string, ...Json[]][] = [
    ["/mnt/ro/new", "Path.write_text", "/mnt/ro/new", "x"],
    ["/mnt/ro/a", "Path.write_text", "/mnt/ro/a", "x"],
    ["/mnt/ro/a", "Path.append_bytes", "/mnt/ro/a", { Bytes: btoa("x") }],
    ["/mnt/ro/a", "open", "/mnt/ro/a", "a"],
    ["/mnt/ro/a", "open", "/mnt/ro/a", "w"],
    ["/mnt/ro/d", "Path.mkdir", "/mnt/ro/d"],
    ["/mnt/ro/a", "Path.unlink", "/mnt/ro/a"],
    ["/mnt/ro/a", "Path.rmdir", "/mnt/ro/a"],
  ];
  for (const [path, ...of] of refused) {
    assertEquals(
      call(...of),
      `PermissionError: [Errno 30] Read-only file system: '${path}'`,
    );
  }
  assertEquals(
    call("Path.rename", "/mnt/ro/a", "/mnt/ro/b"),
    "PermissionError: [Errno 30] Read-only file system: '/mnt/ro/a' -> '/mnt/ro/b'",
  );
  assertEquals(modeOf(call("Path.stat", "/mnt/ro/a")) & 0o222, 0);
  assertEquals(await Deno.readTextFile(join(ro, "a")), "kept");
  assertEquals(await namesIn(ro), ["a"]);
});

Deno.test("a link in a mount on Monty leads within the mount, and not out", async () => {
  await using mounts = await open();
  const { call, callWith, outside, rw } = mounts;
  await Deno.mkdir(join(rw, "sub"));
  await Deno.writeTextFile(join(rw, "sub/b"), "b");
  const links = { inward: "sub", up: "..", file: "../outside/secret" };
  const more = { folder: outside, absolute: join(rw, "sub/b"), loop: "loop" };
  for (const [name, target] of Object.entries({ ...links, ...more })) {
    await Deno.symlink(target, join(rw, name));
  }
  await Deno.symlink("../outside/made", join(rw, "dangling"));
  assertEquals(call("Path.read_text", "/mnt/rw/inward/b"), { String: "b" });
  assertEquals(call("Path.read_text", "/mnt/rw/absolute"), { String: "b" });
  assertEquals(call("Path.is_symlink", "/mnt/rw/inward"), yes);
  assertEquals(call("Path.is_dir", "/mnt/rw/inward"), yes);
  assertEquals(call("Path.resolve", "/mnt/rw/inward/b/c"), {
    Path: "/mnt/rw/sub/b/c",
  });
  call("Path.write_text", "/mnt/rw/absolute", "written");
  assertEquals(await Deno.readTextFile(join(rw, "sub/b")), "written");

  const ways = ["file", "folder/secret", "up/outside/secret", "up/rw/a"];
  for (const path of ways.map((way) => `/mnt/rw/${way}`)) {
    const denied = `PermissionError: [Errno 13] Permission denied: '${path}'`;
    const tries: [string, ...Json[]][] = [
      ["Path.read_text", path],
      ["Path.read_bytes", path],
      ["Path.stat", path],
      ["open", path, "r"],
      ["open", path, "a"],
      ["Path.write_text", path, "x"],
      ["Path.append_text", path, "x"],
    ];
    for (const of of tries) assertEquals(call(...of), denied, of.join(" "));
    assertEquals(call("Path.exists", path), no);
    assertEquals(call("Path.is_file", path), no);
    assertEquals(call("Path.resolve", path), { Path: path });
  }
  for (const name of ["folder", "up"]) {
    const path = `/mnt/rw/${name}`;
    const denied = `PermissionError: [Errno 13] Permission denied: '${path}`;
    assertEquals(call("Path.iterdir", path), `${denied}'`);
    assertEquals(call("Path.scan", path), `${denied}'`);
    assertEquals(call("Path.mkdir", `${path}/x`), `${denied}/x'`);
    assertEquals(call("Path.unlink", `${path}/secret`), `${denied}/secret'`);
    assertEquals(call("Path.rmdir", `${path}/x`), `${denied}/x'`);
  }
  const dangling = "/mnt/rw/dangling";
  assertMatch(
    String(call("Path.write_text", dangling, "x")),
    /^FileNotFoundError/,
  );
  assertEquals(call("Path.is_symlink", dangling), yes);
  assertEquals(
    call("Path.read_text", "/mnt/rw/loop"),
    "OSError: [Errno 40] Too many levels of symbolic links: '/mnt/rw/loop'",
  );
  // A link itself is not moved, so that no run swaps it with a folder.
  assertMatch(
    String(call("Path.rename", "/mnt/rw/inward", "/mnt/rw/other")),
    /^PermissionError: \[Errno 1\] Operation not permitted/,
  );
  const seen = [
    call("Path.iterdir", "/mnt/rw"),
    callWith({ follow_symlinks: true }, "Path.scan", "/mnt/rw"),
  ].map((answer) => JSON.stringify(answer));
  for (const text of seen) {
    assert(text.includes("inward"), text);
    for (const name of ["file", "folder", "up", "dangling", "loop"]) {
      assert(!text.includes(`${name}"`), `${name}: ${text}`);
    }
  }
  assertEquals(await namesIn(outside), ["secret"]);
  assertEquals(await Deno.readTextFile(join(outside, "secret")), "secret");
});

Deno.test("a scan on Monty follows a loop of links as deep as it was asked", async () => {
  await using mounts = await open();
  const { callWith, rw } = mounts;
  const scan = (kwargs: Record<string, Json>, path = "/mnt/rw/sub") =>
    callWith({ follow_symlinks: true, ...kwargs }, "Path.scan", path);
  const pathsIn = (answer: Json) =>
    [...JSON.stringify(answer).matchAll(/"String":"([^"]*)"/g)]
      .map(([, path]) => path).sort();
  await Deno.mkdir(join(rw, "sub"));
  await Deno.mkdir(join(rw, "other"));
  await Deno.symlink("../other", join(rw, "sub/x"));
  await Deno.symlink("../sub", join(rw, "other/y"));
  assertEquals(pathsIn(scan({ follow_symlinks: false })), ["", "x"]);
  assertEquals(pathsIn(scan({})), ["", "x", "x/y"]);
  const deep = ["", "x", "x/y", "x/y/x", "x/y/x/y"];
  assertEquals(pathsIn(scan({ max_depth: 4 })), deep);
});

Deno.test("a hard link in a mount on Monty is read, and not written", async () => {
  await using mounts = await open();
  const { call, outside, rw } = mounts;
  await Deno.link(join(outside, "secret"), join(rw, "hard"));
  assertEquals(call("Path.read_text", "/mnt/rw/hard"), { String: "secret" });
  for (const name of ["Path.write_text", "Path.append_text"]) {
    assertEquals(
      call(name, "/mnt/rw/hard", "x"),
      "PermissionError: [Errno 1] Operation not permitted: '/mnt/rw/hard'",
    );
  }
  assertEquals(await Deno.readTextFile(join(outside, "secret")), "secret");
});

Deno.test("a pipe in a mount on Monty keeps no call waiting", async () => {
  await using mounts = await open();
  const { call, rw } = mounts;
  const { success } = await new Deno.Command("mkfifo", {
    args: [join(rw, "pipe")],
  }).output();
  assert(success);
  const path = "/mnt/rw/pipe";
  const denied = `PermissionError: [Errno 13] Permission denied: '${path}'`;
  assertEquals(call("Path.read_bytes", path), denied);
  assertEquals(call("Path.write_text", path, "x"), denied);
  assertEquals(call("Path.append_text", path, "x"), denied);
  assertEquals(call("open", path, "r"), denied);
  assertEquals(call("Path.exists", path), yes);
  assertEquals(call("Path.is_file", path), no);
  assertEquals(call("Path.is_dir", path), no);
  assertEquals(modeOf(call("Path.stat", path)) & 0o170000, 0o010000);
});

Deno.test("a mount on Monty stays at its place, and files do not move out of it", async () => {
  await using mounts = await open();
  const { call } = mounts;
  const busy = "OSError: [Errno 16] Device or resource busy: ";
  assertEquals(call("Path.rmdir", "/mnt/rw"), `${busy}'/mnt/rw'`);
  assertEquals(
    call("Path.rename", "/mnt/rw", "/mnt/rw/x"),
    `${busy}'/mnt/rw' -> '/mnt/rw/x'`,
  );
  assertEquals(
    call("Path.unlink", "/mnt/rw"),
    `IsADirectoryError: [Errno 21] Is a directory: '/mnt/rw'`,
  );
  call("Path.write_text", "/workspace/w", "");
  for (
    const [from, to] of [
      ["/mnt/rw/a", "/workspace/a"],
      ["/workspace/w", "/mnt/rw/w"],
      ["/mnt/rw/a", "/mnt/ro/b"],
      ["/mnt/rw", "/workspace/rw"],
    ] as const
  ) {
    assertEquals(
      call("Path.rename", from, to),
      `OSError: [Errno 18] Invalid cross-device link: '${from}' -> '${to}'`,
    );
  }
});

Deno.test("a file of a mount on Monty may be too large to read", async () => {
  await using mounts = await open();
  const { call, rw } = mounts;
  await Deno.truncate(join(rw, "a"), MOST_READ + 1);
  assertEquals(
    call("Path.read_bytes", "/mnt/rw/a"),
    "OSError: [Errno 27] File too large: '/mnt/rw/a'",
  );
});

Deno.test("an error of a mount on Monty names no path of this machine", async () => {
  await using mounts = await open();
  const { call, rw } = mounts;
  await Deno.remove(rw, { recursive: true });
  const gone = "FileNotFoundError: [Errno 2] No such file or directory: ";
  assertEquals(call("Path.read_text", "/mnt/rw/a"), `${gone}'/mnt/rw/a'`);
  assertEquals(call("Path.iterdir", "/mnt/rw"), `${gone}'/mnt/rw'`);
  assertEquals(call("Path.exists", "/mnt/rw"), no);
});

const names = constantFrom("a", "b", "a/a", "a/b", "b/a", "a/a/a");
const texts = string({ maxLength: 3 });
const steps = oneof(
  tuple(
    constantFrom("write_text", "append_text"),
    names,
    texts,
  ),
  tuple(constantFrom("mkdir", "rmdir", "unlink", "iterdir"), names),
  tuple(constantFrom("read_text", "exists", "is_dir", "is_file"), names),
  tuple(constantFrom("mkdir all", "scan"), names),
  tuple(constantFrom("rename"), names, names),
);

Deno.test("files in memory on Monty behave as those of this machine", async () => {
  await using mounts = await open();
  const { rw } = mounts;
  assertProperty(
    property(tuple(steps, steps, steps, steps, steps, steps, steps), (all) => {
      for (const { name } of [...Deno.readDirSync(rw)]) {
        Deno.removeSync(join(rw, name), { recursive: true });
      }
      const { callWith } = montyFiles({
        mounts: [{ host: rw, guest: "/mnt/rw", isWritable: true }],
      });
      for (const [kind, path, second] of all) {
        const [memory, machine] = ["/workspace", "/mnt/rw"].map((top) => {
          const to = kind === "rename" ? `${top}/${second}` : second;
          const args = [`${top}/${path}`, ...(to === undefined ? [] : [to])];
          const kwargs = { parents: kind === "mkdir all" };
          const name = `Path.${kind.replace(" all", "")}`;
          const answer = callWith(kwargs, name, ...args);
          return sorted(JSON.stringify(answer).replaceAll(top, ""));
        });
        assertEquals(memory, machine, JSON.stringify(all));
      }
    }),
    { numRuns: 300 },
  );
});

/** Names of a folder come in no order. */
function sorted(answer: string): string {
  return answer.startsWith('{"List"')
    ? answer.split(/,(?=\{"Path"|\{"Tuple")|\[(?=\{"Path"|\{"Tuple")|\]\}$/)
      .sort().join()
    : answer;
}

function modeOf(stat: Json): number {
  return JSON.parse(JSON.stringify(stat)).NamedTuple.values[0].Int;
}
