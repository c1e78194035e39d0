import { assertEquals, assertThrows } from "../../deps/assert.ts";
import { machine } from "../../test/support/machine.ts";
import { findCaches } from "./cache_dir.ts";
import type { CliContext, Env } from "./context.ts";

function caches(
  { files = [], env = {}, ...where }:
    & { files?: string[]; env?: Env }
    & Partial<CliContext>,
) {
  const context = machine({}, {
    cwd: "/home/ada/app/src",
    exists: (path) => files.includes(path),
    ...where,
  });
  return findCaches(env, context);
}

const inHome = "/home/ada/.cache/mcp-run-python";

/** The folder for what is new. */
const cacheDir = (machine: Parameters<typeof caches>[0]) =>
  caches(machine).cacheDir;

Deno.test("findCaches() takes what is new to a project that has node_modules, and reads both caches", () => {
  const project = "/home/ada/app/node_modules/.cache/mcp-run-python";
  const modules = "/home/ada/app/node_modules";
  const manifest = "/home/ada/app/package.json";
  for (
    const files of [
      [modules],
      [modules, manifest],
      [modules, manifest, "/home/ada/package.json", "/home/ada/node_modules"],
    ]
  ) {
    const found = { cacheDir: project, otherCacheDir: inHome };
    assertEquals(caches({ files }), found);
  }
  assertEquals(
    caches({ files: [manifest, "/home/ada/node_modules"] }),
    { cacheDir: inHome, otherCacheDir: project },
  );
  const nested = [modules, "/home/ada/app/src/package.json"];
  assertEquals(cacheDir({ files: nested }), inHome);
});

Deno.test("findCaches() takes a project's cache if there is no home", () => {
  const files = ["/srv/app/package.json"];
  assertEquals(caches({ cwd: "/srv/app", files, home: undefined }), {
    cacheDir: "/srv/app/node_modules/.cache/mcp-run-python",
  });
});

Deno.test("findCaches() takes no project at the home folder or above", () => {
  const files = [
    "/home/ada/package.json",
    "/home/node_modules",
    "/package.json",
  ];
  for (const cwd of ["/home/ada/app/src", "/home/ada", "/home", "/", "/srv"]) {
    assertEquals(caches({ cwd, files }), { cacheDir: inHome });
  }
  assertEquals(
    cacheDir({ cwd: "/home/adam", files: ["/home/adam/node_modules"] }),
    "/home/adam/node_modules/.cache/mcp-run-python",
  );
});

Deno.test("findCaches() takes the system's folder for the caches of the user", () => {
  assertEquals(cacheDir({}), inHome);
  assertEquals(
    cacheDir({ env: { XDG_CACHE_HOME: "/var/x" }, home: undefined }),
    "/var/x/mcp-run-python",
  );
  assertEquals(cacheDir({ env: { XDG_CACHE_HOME: "relative" } }), inHome);
  assertEquals(
    cacheDir({ os: "darwin", cwd: "/Users/ada", home: "/Users/ada" }),
    "/Users/ada/Library/Caches/mcp-run-python",
  );
  const windows: Partial<CliContext> = {
    os: "windows",
    cwd: "D:\\work",
    home: "C:\\Users\\ada",
  };
  assertEquals(
    cacheDir({ ...windows, env: { LOCALAPPDATA: "E:\\Local" } }),
    "E:\\Local\\mcp-run-python",
  );
  assertEquals(
    cacheDir(windows),
    "C:\\Users\\ada\\AppData\\Local\\mcp-run-python",
  );
  assertEquals(
    cacheDir({ ...windows, files: ["D:\\work\\node_modules"] }),
    "D:\\work\\node_modules\\.cache\\mcp-run-python",
  );
});

Deno.test("findCaches() names the remedy where there is no home", () => {
  for (const home of [undefined, ""]) {
    assertThrows(() => cacheDir({ home }), {
      name: "UserError",
      message: /no home folder; name one with --cache-dir/,
    });
  }
});
