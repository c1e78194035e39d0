import { dirname, resolve } from "node:path/posix";
import {
  assert,
  assertEquals,
  assertMatch,
  assertThrows,
} from "../../../deps/assert.ts";
import { fakeSystem } from "../../../test/support/fake_system.ts";
import { clientFile } from "../../../test/support/mcp_client_files.ts";
import { UserError } from "../../errors.ts";
import {
  type ConfigurationSettings,
  openConfigurations,
} from "./configurations.ts";

const NAMED = {
  mcpConfig: ["/srv/mcp.json"],
  discover: false,
  allowSelfServer: false,
};
const FOUND = { ...NAMED, mcpConfig: [], discover: true };

const one = (command: string, name = "a") =>
  JSON.stringify({ mcpServers: { [name]: { command } } });

/** Configurations of a machine, with the lines that they log. */
function open(
  files: Record<string, string>,
  settings: ConfigurationSettings = NAMED,
  options: Parameters<typeof openConfigurations>[2] = {},
) {
  const system = fakeSystem(files);
  const lines: string[] = [];
  const warn = (line: string) => void lines.push(line);
  const all = openConfigurations(settings, system, { warn, ...options });
  const names = () => all.list().map(({ name }) => name);
  return { all, system, lines, names };
}

Deno.test("openConfigurations() lists servers without their secrets, and finds them with these", () => {
  const { all } = open({
    "/srv/mcp.json": JSON.stringify({
      mcpServers: {
        a: { command: "x", args: ["--key"], env: { K: "secret" }, cwd: "w" },
        b: { url: "https://b.example/mcp?k=secret", description: "B" },
      },
    }),
  });
  const listed = all.list();
  assertEquals(
    listed.map(({ fingerprint: _f, revision: _r, ...rest }) => rest),
    [
      {
        ...{ name: "a", transport: "stdio", source: "/srv/mcp.json" },
        cwd: "/srv/w",
      },
      {
        ...{ name: "b", transport: "http", source: "/srv/mcp.json" },
        description: "B",
      },
    ],
  );
  assert(!JSON.stringify(listed).includes("secret"));
  const entry = all.find("a");
  assertEquals(entry?.transport === "stdio" && entry.env, { K: "secret" });
  assertEquals(all.find("c"), undefined);
});

Deno.test("the first source that names a server wins, and the later is reported", () => {
  const { all } = open({
    "/srv/app/.mcp.json": one("project"),
    "/home/ada/.cursor/mcp.json": one("cursor"),
    "/home/ada/MCPs/z.json": one("folder"),
    "/srv/mcp.json": one("named"),
  }, { ...FOUND, mcpConfig: ["/srv/mcp.json"] });
  const entry = all.find("a");
  assertEquals(entry?.transport === "stdio" && entry.command, "named");
  assertEquals(
    all.report().skipped.map(({ source, reason }) => [source, reason]),
    [
      ["/home/ada/MCPs/z.json", "/srv/mcp.json names it first"],
      ["/srv/app/.mcp.json", "/srv/mcp.json names it first"],
      ["/home/ada/.cursor/mcp.json", "/srv/mcp.json names it first"],
    ],
  );
});

Deno.test("an entry that is skipped leaves its name to a later source", () => {
  const { all } = open({
    "/srv/app/.mcp.json": '{"mcpServers": {"a": {"command": "${NOT_SET}"}}}',
    "/home/ada/.cursor/mcp.json": one("cursor"),
  }, FOUND);
  assertEquals(all.find("a")?.source, "/home/ada/.cursor/mcp.json");
});

Deno.test("one malformed entry or file hides no other of its folder", () => {
  const { all, names, lines } = open({
    "/home/ada/MCPs/a.json": one("a", "a"),
    "/home/ada/MCPs/broken.json": '{"mcpServers": {"x": ',
    "/home/ada/MCPs/c.json":
      '{"mcpServers": {"bad": [1], "c": {"command": "c"}}}',
    "/home/ada/MCPs/notes.txt": "not read",
    "/home/ada/MCPs/.hidden.json": one("h", "h"),
  }, FOUND);
  assertEquals(names(), ["a", "c"]);
  const { faults, skipped } = all.report();
  assertEquals(faults.map(({ path }) => path), ["/home/ada/MCPs/broken.json"]);
  assertEquals(skipped.map(({ name }) => name), ["bad"]);
  assertEquals(lines.length, 1);
  assertMatch(lines[0] ?? "", /broken\.json": line 1 is not JSON/);
});

Deno.test("each client's file is read in its own format", () => {
  const file = clientFile;
  const { names } = open({
    "/srv/app/.vscode/mcp.json": file("vs_code/mcp.json"),
    "/home/ada/.config/Code/User/settings.json": file("vs_code/settings.json"),
    "/home/ada/.gemini/settings.json": file("gemini/settings.json"),
    "/home/ada/.codex/config.toml": file("codex/config.toml"),
    "/home/ada/.config/opencode/opencode.json": file("opencode/opencode.json"),
    "/home/ada/.codeium/windsurf/mcp_config.json": file(
      "windsurf/mcp_config.json",
    ),
    "/home/ada/.gemini/config/mcp_config.json": file(
      "antigravity/mcp_config.json",
    ),
  }, FOUND);
  assertEquals(names(), [
    ...["memory", "context7", "sandboxed", "typed", "narrow", "one-text"],
    ...["ollama", "fetch", "docs-langchain", "chrome-devtools", "both"],
  ]);
});

Deno.test("a file that the user names must be there and be readable", () => {
  const refused = (files: Record<string, string>) =>
    assertThrows(() => open(files), (error: unknown) => {
      assert(error instanceof UserError);
      assertEquals(error.exitCode, 2);
      assertMatch(
        error.message,
        /^Cannot read the MCP servers in "\/srv\/mcp\.json": .*--mcp-config/,
      );
      return true;
    });
  refused({});
  refused({ "/srv/mcp.json": "{" });
  refused({ "/srv/mcp.json": '{"port": 1}' });
  const folder = { ...NAMED, mcpConfig: ["/srv/all"] };
  const { names, all } = open({
    "/srv/all/b.json": one("b", "b"),
    "/srv/all/a.json": "{",
  }, folder);
  assertEquals(names(), ["b"]);
  assertEquals(all.report().faults.length, 1);
});

Deno.test("files of other programs that are missing are silent, and count only with --mcp-config discover", () => {
  const files = { "/home/ada/.cursor/mcp.json": one("x") };
  const none = open({}, FOUND);
  assertEquals([none.names(), none.lines], [[], []]);
  const off = open(files, { ...FOUND, discover: false });
  assertEquals(off.names(), []);
  assertEquals(off.all.report().undiscovered, ["/home/ada/.cursor/mcp.json"]);
  assertEquals(open(files, FOUND).names(), ["a"]);
});

Deno.test("files are read again when they have changed, and only then", () => {
  const { all, system, names } = open({
    "/srv/app/.mcp.json": one("x"),
    "/srv/app/mcp-servers/b.json": one("b", "b"),
  }, FOUND);
  const before = all.list();
  assertEquals(names(), ["b", "a"]);
  assertEquals(system.reads.length, 2);
  system.write("/srv/app/.mcp.json", one("y"));
  const entry = all.find("a");
  assertEquals(entry?.transport === "stdio" && entry.command, "y");
  assert(all.list()[1]?.fingerprint !== before[1]?.fingerprint);
  assertEquals(system.reads.length, 3);
  system.write("/srv/app/mcp-servers/c.json", one("c", "c"));
  assertEquals(names(), ["b", "c", "a"]);
  system.files.delete("/srv/app/mcp-servers/b.json");
  assertEquals(names(), ["c", "a"]);
  system.write("/home/ada/.claude.json", one("d", "d"));
  assertEquals(names(), ["c", "a", "d"]);
  assertEquals(system.reads.length, 5);
});

Deno.test("agree() takes changed entries as those of a start, names their servers, and a file's fault", () => {
  const { all, system } = open({
    "/srv/mcp.json":
      '{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}',
  });
  const changed = () => all.list().map(({ changed }) => changed?.how);
  system.write(
    "/srv/mcp.json",
    '{"mcpServers": {"a": {"command": "z"}, "c": {"command": "y"}}}',
  );
  assertEquals(changed(), ["changed", "added"]);
  assertEquals(all.agree(), ["a", "b", "c"]);
  assertEquals(changed(), [undefined, undefined]);
  assertEquals(all.agree(), []);
  system.write("/srv/mcp.json", "{");
  assertThrows(
    () => all.agree(),
    /Cannot read the MCP servers in "\/srv\/mcp.json"/,
  );
  assertEquals(all.list().map(({ name }) => name), ["a", "c"]);
});

Deno.test("a file of variables that changes has its entry read again", () => {
  const { all, system } = open({
    "/srv/mcp.json": '{"servers": {"a": {"command": "x", "envFile": ".env"}}}',
    "/srv/.env": "K=1",
  });
  const env = () => {
    const entry = all.find("a");
    return entry?.transport === "stdio" && entry.env;
  };
  assertEquals(env(), { K: "1" });
  system.write("/srv/.env", "K=2");
  assertEquals(env(), { K: "2" });
});

Deno.test("a file that is being rewritten keeps its last good servers", () => {
  const { system, names, lines } = open({ "/srv/mcp.json": one("x") });
  for (const text of ["", '{"mcpServers": {"b']) {
    system.write("/srv/mcp.json", text);
    assertEquals(names(), ["a"], text);
  }
  assertEquals(names(), ["a"]);
  assertEquals(lines.length, 2);
  assertMatch(lines[1] ?? "", /its servers stay as they were/);
  system.write("/srv/mcp.json", one("x", "b"));
  assertEquals(names(), ["b"]);
});

Deno.test("an entry that is this program is skipped, unless the user lifts the guard", () => {
  const files = {
    "/srv/mcp.json": JSON.stringify({
      mcpServers: {
        me: { command: "uvx", args: ["mcp-run-python", "stdio"] },
        web: { url: "http://localhost:3001/mcp" },
        time: { command: "uvx", args: ["mcp-server-time"] },
      },
    }),
  };
  const options = { listens: { host: "127.0.0.1", port: 3001 } };
  const guarded = open(files, NAMED, options);
  assertEquals(guarded.names(), ["time"]);
  const [first] = guarded.all.report().skipped;
  assertMatch(first?.reason ?? "", /this very program/);
  assertMatch(first?.remedy ?? "", /"allowSelf": true/);
  const lifted = open(files, { ...NAMED, allowSelfServer: true }, options);
  assertEquals(lifted.names(), ["me", "web", "time"]);
  const insists = {
    mcpServers: {
      me: { command: "uvx", args: ["mcp-run-python"], allowSelf: true },
      web: { url: "http://localhost:3001/mcp", allowSelf: "true" },
    },
  };
  const own = { "/srv/mcp.json": JSON.stringify(insists) };
  assertEquals(open(own, NAMED, options).names(), ["me"]);
});

Deno.test("a file that Python can write, by a mount, names no servers", () => {
  const mount = { host: "/srv", guest: "/mnt/srv", isWritable: true };
  const texts = {
    "/srv/app/.mcp.json": one("evil"),
    "/home/ada/.cursor/mcp.json": JSON.stringify({
      mcpServers: {
        a: { command: "x", envFile: "/srv/app/.env", cwd: "/opt" },
        b: { command: "x", cwd: "/opt" },
      },
    }),
    "/srv/app/.env": "NODE_OPTIONS=--require=/srv/app/evil.js",
  };
  const { all, lines, names } = open(texts, {
    ...{ ...FOUND, mounts: [mount] },
  });
  assertEquals(names(), ["b"]);
  assertMatch(lines.join(), /"\/srv\/app\/\.mcp\.json": Python could write it/);
  assertEquals(all.report().skipped.map(({ name }) => name), ["a"]);
  const readOnly = { ...FOUND, mounts: [{ ...mount, isWritable: false }] };
  assertEquals(open(texts, readOnly).names(), ["a", "b"]);
  assertThrows(
    () => open({ "/srv/mcp.json": one("x") }, { ...NAMED, mounts: [mount] }),
    UserError,
  );
});

Deno.test("a folder in which Python can write thousands of files is not looked into", () => {
  const paths = Array.from(
    { length: 3000 },
    (_, n) => `/srv/app/mcp-servers/${n}.json`,
  );
  const { lines } = open(
    Object.fromEntries(paths.map((path) => [path, "{}"])),
    {
      ...FOUND,
      mounts: [{ host: "/srv/app", guest: "/mnt/app", isWritable: true }],
    },
  );
  assertEquals(lines.length, 1);
  assertMatch(lines.join(), /mcp-servers": Python could write it/);
});

const WRITABLE = [{ host: "/srv/data", guest: "/data", isWritable: true }];

/** Machine with a writable mount, and links into it. */
function openMounted(
  servers: Record<string, Record<string, unknown>>,
  { files = {}, links = {}, env = {}, mounts = WRITABLE }: {
    files?: Record<string, string>;
    links?: Record<string, string>;
    env?: Record<string, string>;
    mounts?: typeof WRITABLE;
  } = {},
) {
  const system = fakeSystem(
    { "/etc/mcp.json": JSON.stringify({ mcpServers: servers }), ...files },
    {
      ...{ cwd: "/opt", home: "/srv" },
      env: { PATH: "/usr/bin", HOME: "/srv", ...env },
    },
  );
  const settings = { ...NAMED, mcpConfig: ["/etc/mcp.json"], mounts };
  return openConfigurations(settings, {
    ...system,
    realPath(path) {
      for (let link; (link = links[path]) !== undefined;) {
        path = resolve(dirname(path), link);
      }
      return path;
    },
    linkAt: (path) => links[path],
  });
}

const TAKEN: Record<string, Record<string, unknown>> = {
  "a program": { command: "/srv/data/x" },
  "a program by a link": { command: "linked" },
  "a program of its folder": { command: "./x", cwd: "/srv/data" },
  "its folder": { command: "npx", cwd: "/srv/data/project" },
  "a folder above": { command: "python", args: ["-m", "tool"], cwd: "/srv" },
  "a file without an ending": { command: "node", args: ["/srv/data/tool"] },
  "a relative file": { command: "node", args: ["../srv/data/tool.txt"] },
  "a folder to work on": { command: "files", args: ["/srv/data"] },
  "a folder that holds it": { command: "python", args: ["/srv"] },
  "a value": { command: "node", args: ["--import=/srv/data/x"] },
  "a file's address": { command: "node", args: ["file:///srv/data/x.mjs"] },
  "a short option": { command: "perl", args: ["-I/srv/data", "x"] },
  "words of a shell": { command: "sh", args: ["-c", "exec '/srv/data/run' 1"] },
  "a relative path of a shell": {
    command: "sh",
    args: ["-c", ". ../srv/data"],
  },
  "the home folder": { command: "sh", args: ["-c", "~/data/run"] },
  "folders of modules": { command: "x", env: { PYTHONPATH: "/a:/srv/data" } },
  "a folder of modules above": { command: "x", env: { PYTHONPATH: "/srv" } },
  "options": { command: "x", env: { NODE_OPTIONS: "--require /srv/data/a" } },
  "a shell's file": { command: "x", env: { BASH_ENV: "/srv/data/rc" } },
  "a variable of a shell": { command: "sh", args: ["-c", "$HOME/data/run"] },
  "a script beside it": { command: "node", args: ["/srv/server.js"] },
  "a program beside it": { command: "/srv/server.js" },
  "a link that leads through it": { command: "through" },
  "a link from another folder": { command: "away" },
  "a link, and up": { command: "sh", args: ["/opt/link/../x"] },
  "a program behind a folder": { command: "second" },
  "a pattern of a shell": { command: "sh", args: ["-c", "/srv/da*/run"] },
  "alternatives of a shell": { command: "sh", args: ["-c", "/srv/{data,x}/a"] },
  "a package with extras": { command: "uvx", args: ["../srv/data[cli]"] },
  "a home": { command: "x", env: { HOME: "/srv/data/home" } },
};

Deno.test("a server that could run what Python writes is skipped, with the reason, and if its entry does not insist", () => {
  const links = {
    "/usr/bin/linked": "/srv/data/evil",
    "/usr/bin/through": "/srv/data/link",
    "/srv/data/link": "../../usr/bin/x",
    "/usr/bin/away": "/srv/tool",
    "/opt/link": "/srv/data/folder",
    "/bin/second": "/srv/data/evil",
  };
  const names = ["linked", "x", "through", "away", "second/folder"];
  const files = {
    ...Object.fromEntries(names.map((name) => [`/usr/bin/${name}`, ""])),
    ...{ "/bin/second": "", "/srv/server.js": "" },
  };
  const env = { PATH: "/usr/bin:/bin" };
  const all = openMounted(TAKEN, { links, files, env });
  assertEquals(all.list().map(({ name }) => name), []);
  const { skipped } = all.report();
  assertEquals(skipped.map(({ name }) => name), Object.keys(TAKEN));
  for (const { name, reason, remedy } of skipped) {
    assertMatch(reason, /"\/srv\/data"/, name);
    assertMatch(`${remedy}`, /"allowWritable": true/, name);
  }
  const insisting = Object.entries(TAKEN).map(([name, entry]) =>
    [name, { ...entry, allowWritable: true }] as const
  );
  const insisted = openMounted(Object.fromEntries(insisting), {
    ...{ links, files, env },
  });
  assertEquals(insisted.list().length, Object.keys(TAKEN).length);
  const mounts = WRITABLE.map((mount) => ({ ...mount, isWritable: false }));
  assertEquals(
    openMounted(TAKEN, { links, files, mounts }).report().skipped,
    [],
  );
});

Deno.test("a server is skipped whatever the name of the mount, and by variables of this program", () => {
  const words = [
    ["-c", "exec '/srv/my data/run'"],
    ["-c", "/srv/my\\ data/run"],
    ["--import=file:///srv/my%20data/x.mjs"],
    ["/srv/app/server.js"],
  ];
  const named = (host: string, env: Record<string, string> = {}) =>
    openMounted(
      Object.fromEntries(
        words.map((args, at) => [at, { command: "node", args }]),
      ),
      { env, mounts: [{ host, guest: "/data", isWritable: true }] },
    ).list().map(({ name }) => Number(name));
  assertEquals(named("/srv/my data"), [3]);
  assertEquals(named("/srv/my data/run"), [2, 3]);
  assertEquals(named("/srv/node_modules"), []);
  assertEquals(named("/srv/other/node_modules"), [0, 1, 2, 3]);
  assertEquals(named("/srv/my"), [3]);
  assertEquals(named("/tmp"), []);
  assertEquals(named("/x/y", { XDG_CACHE_HOME: "/x/y/z" }), []);
  // From there `uvx` and `npx` take what they run, without a variable.
  for (const path of [".cache", ".cache/uv/wheels", ".npm/_npx", ".config"]) {
    assertEquals(named(`/srv/${path}`), [], path);
  }
  assertEquals(named("/srv/.cache/mine"), [0, 1, 2, 3]);
});

Deno.test("a server is skipped in whatever way Windows writes the path", () => {
  const words = [
    ...["C:\\data\\x", "c:/DATA/x", "\\data\\x", "/data/x", "..\\data\\x"],
    ...[
      "C:\\data.\\x",
      "C:..\\data\\x",
      "\\\\?\\C:\\data\\x",
      "--import=/data/x",
    ],
    ...["C:\\other\\x", "/c", "C:data\\x"],
  ];
  const servers = Object.fromEntries(
    words.map((word) => [word, { command: "node", args: [word] }]),
  );
  const all = openConfigurations(
    {
      ...{ ...NAMED, mcpConfig: ["C:\\etc\\mcp.json"] },
      mounts: [{ host: "C:\\data", guest: "/data", isWritable: true }],
    },
    fakeSystem(
      { "C:\\etc\\mcp.json": JSON.stringify({ mcpServers: servers }) },
      { os: "windows", cwd: "C:\\opt", home: "C:\\home" },
    ),
  );
  assertEquals(all.list().map(({ name }) => name), words.slice(-3));
});

Deno.test("a server that runs what Python cannot write is kept beside a writable mount", () => {
  const all = openMounted({
    a: { command: "npx", args: ["-y", "some-server@1.0.0", "--port=80"] },
    b: { command: "/usr/bin/x", args: ["/opt/app.js"], env: { KEY: "a/b" } },
    c: { url: "https://a.example/srv/data" },
  });
  assertEquals(all.list().map(({ name }) => name), ["a", "b", "c"]);
});

Deno.test("programs are not looked for where Python writes", () => {
  const servers = {
    a: { command: "x" },
    b: { command: "y", allowWritable: true },
  };
  const env = { PATH: "/srv/data/bin:/usr/bin:../srv/data" };
  const files = { "/srv/data/bin/x": "", "/usr/bin/x": "" };
  const all = openMounted(servers, { env, files });
  const paths = ["a", "b"].map((name) => {
    const entry = all.find(name);
    return entry?.transport === "stdio" && entry.env.PATH;
  });
  assertEquals(paths, ["/usr/bin", undefined]);
});

Deno.test("a server is judged again when it is started", () => {
  const links: Record<string, string> = {};
  const files = { "/usr/bin/x": "" };
  const all = openMounted({ a: { command: "x" } }, { links, files });
  assertEquals(all.find("a")?.name, "a");
  links["/usr/bin/x"] = "/srv/data/evil";
  assertThrows(() => all.find("a"), /Cannot start the server "a": its program/);
});
