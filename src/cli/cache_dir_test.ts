import { assertEquals, assertThrows } from "../../deps/assert.ts";
import { machine } from "../../test/support/machine.ts";
import { defaultCacheDir } from "./cache_dir.ts";
import type { CliContext, Env } from "./context.ts";

function cacheDir(
  { files = [], env = {}, ...where }:
    & { files?: string[]; env?: Env }
    & Partial<CliContext>,
) {
  const context = machine({}, {
    cwd: "/home/ada/app/src",
    exists: (path) => files.includes(path),
    ...where,
  });
  return defaultCacheDir(env, context);
}

const inHome = "/home/ada/.cache/mcp-run-python";

Deno.test("defaultCacheDir() is in the nearest project's node_modules", () => {
  const project = "/home/ada/app/node_modules/.cache/mcp-run-python";
  for (
    const files of [
      ["/home/ada/app/package.json"],
      ["/home/ada/app/node_modules"],
      ["/home/ada/app/package.json", "/home/ada/package.json"],
    ]
  ) assertEquals(cacheDir({ files }), project);
  assertEquals(
    cacheDir({ cwd: "/srv/app", files: ["/srv/app/package.json"] }),
    "/srv/app/node_modules/.cache/mcp-run-python",
  );
});

Deno.test("defaultCacheDir() takes no project at the home folder or above", () => {
  const files = [
    "/home/ada/package.json",
    "/home/node_modules",
    "/package.json",
  ];
  for (const cwd of ["/home/ada/app/src", "/home/ada", "/home", "/", "/srv"]) {
    assertEquals(cacheDir({ cwd, files }), inHome);
  }
  assertEquals(
    cacheDir({ cwd: "/home/adam", files: ["/home/adam/package.json"] }),
    "/home/adam/node_modules/.cache/mcp-run-python",
  );
});

Deno.test("defaultCacheDir() is in the system's cache folder for the user", () => {
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
    cacheDir({ ...windows, files: ["D:\\work\\package.json"] }),
    "D:\\work\\node_modules\\.cache\\mcp-run-python",
  );
});

Deno.test("defaultCacheDir() names the remedy where there is no home", () => {
  for (const home of [undefined, ""]) {
    assertThrows(() => cacheDir({ home }), {
      name: "UserError",
      message: /no home folder; name one with --cache-dir/,
    });
  }
});
