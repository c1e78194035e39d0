/**
 * `wrap`: real MCP servers inside walls, what their policies let pass, and what tries to
 * get out.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { tryBwrap } from "../src/launcher/isolation.ts";
import { log } from "../src/log.ts";
import { pypiServers } from "./support/downstream_servers.ts";
import { CLI } from "./support/command.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import { layPolicyGround } from "./support/policy_cases.ts";
import { descendants, whichOutlive } from "./support/processes.ts";
import { startWebServer } from "./support/web_server.ts";
import {
  callTool,
  connectWrapped,
  TRYING,
  tryWrapped,
  withBwrap,
} from "./support/wrapping.ts";

const bwrap = await withBwrap();
if ("PATH" in bwrap) Deno.env.set("PATH", bwrap.PATH);
const found = await tryBwrap();
const noBwrap = "reason" in bwrap
  ? bwrap.reason
  : "reason" in found && found.reason;
if (noBwrap) log(`skipped: wrap behind bubblewrap: ${noBwrap}`);

/** Both ways to wrap JavaScript. */
const WALLS: Record<string, string[]> = {
  "Deno's permissions": ["--isolation", "none"],
  ...(noBwrap ? {} : { bubblewrap: ["--isolation", "bwrap"] }),
};

const npx = (name: string, ...args: string[]) => [
  ...["npx", "-y", `@modelcontextprotocol/server-${name}@2026.8.31`],
  ...args,
];

const policyIn = async (folder: string, permissions: string) => {
  const path = join(folder, `policy-${crypto.randomUUID()}.yaml`);
  await Deno.writeTextFile(
    path,
    `version: "1.0"\npermissions: ${permissions}\n`,
  );
  return ["--policy", path];
};

for (const [wall, isolation] of Object.entries(WALLS)) {
  Deno.test(`wrap: server-filesystem reads and writes what its policy grants (${wall})`, async () => {
    await using temp = await tempFolder();
    const [data] = await temp.make("data");
    await Deno.writeTextFile(join(data, "a.txt"), "inside");
    const policy = await policyIn(
      temp.path,
      `{ storage: { allow: [{ uri: "fs://${data}/**", access: [read, write] }] } }`,
    );
    await using server = await connectWrapped(
      [...isolation, ...policy],
      // The server itself would let its client read all of the folder above.
      npx("filesystem", data, temp.path),
    );
    const path = join(data, "b.txt");
    const written = await callTool(server, "write_file", {
      ...{ path, content: "new" },
    });
    assertEquals(written.isError, false, written.text);
    assertEquals(await Deno.readTextFile(path), "new");
    const read = await callTool(server, "read_text_file", {
      path: join(data, "a.txt"),
    });
    assertEquals(read.text, "inside");
  });

  Deno.test(`wrap: server-memory keeps its file where its policy lets it (${wall})`, async () => {
    await using temp = await tempFolder();
    const entities = [{ name: "a", entityType: "b", observations: ["c"] }];
    const env = { MEMORY_FILE_PATH: join(temp.path, "memory.jsonl") };
    {
      await using closed = await connectWrapped(isolation, npx("memory"), env);
      const { text, isError } = await callTool(closed, "create_entities", {
        entities,
      });
      assert(isError, text);
      await closed.said(/Hid the variable MEMORY_FILE_PATH: permissions\.env/);
      await closed.said(/Refused to write .*among Deno's packages/);
    }
    const [data] = await temp.make("data");
    env.MEMORY_FILE_PATH = join(data, "memory.jsonl");
    const policy = await policyIn(
      temp.path,
      `{ environment: { allow: [{ key: MEMORY_FILE_PATH }] }, storage: { allow: [{ uri: "fs://${data}/**", access: [read, write] }] } }`,
    );
    const options = [...isolation, ...policy];
    await using server = await connectWrapped(options, npx("memory"), env);
    const made = await callTool(server, "create_entities", { entities });
    assertEquals(made.isError, false, made.text);
    assertMatch(await Deno.readTextFile(env.MEMORY_FILE_PATH), /"name":"a"/);
  });

  Deno.test(`wrap: the cases of all guests' policies (${wall})`, async (t) => {
    await using ground = await layPolicyGround();
    for (const one of ground.cases) {
      await t.step(one.name, async () => {
        const { tried, stderr } = await tryWrapped(
          [...isolation, "--policy", await ground.write(one)],
          one.attempts.map(([attempt]) =>
            "path" in attempt
              ? { ...attempt, path: join(ground.folder, attempt.path) }
              : attempt
          ),
          { env: ground.env },
        );
        const passed = one.attempts.map(([{ kind }], index) => {
          const { refused } = tried[index] ?? { refused: "no answer" };
          return refused === undefined ||
            kind === "net" && !/Requires|NotCapable|EPERM/.test(refused);
        });
        const wanted = one.attempts.map(([, isAllowed]) => isAllowed);
        assertEquals(passed, wanted, JSON.stringify(tried) + stderr);
      });
    }
  });
}

Deno.test("wrap: server-everything works with nothing granted, and is refused the variables", async () => {
  await using server = await connectWrapped([], npx("everything", "stdio"), {
    SECRET_OF_USER: "s3cret",
  });
  const { text } = await callTool(server, "echo", { message: "hi" });
  assertEquals(text, "Echo: hi");
  const { text: shown } = await callTool(server, "get-env", {});
  assertEquals(JSON.parse(shown), {});
});

Deno.test("wrap --learn: the printed policy makes the server work", async () => {
  await using temp = await tempFolder();
  const path = join(temp.path, "data.txt");
  await Deno.writeTextFile(path, "text");
  await using web = startWebServer();
  const attempts = [
    { kind: "read", path },
    { kind: "net", host: web.host },
    { kind: "env", name: "LEARNT" },
  ];
  const env = { LEARNT: "yes" };
  const learnt = await tryWrapped(["--learn"], attempts, { env });
  assertEquals(learnt.tried.filter(({ refused }) => !refused), []);
  assertMatch(learnt.stderr, /# it tried to read/);
  const policy = join(temp.path, "policy.yaml");
  await Deno.writeTextFile(
    policy,
    learnt.stderr.slice(learnt.stderr.indexOf("version:")),
  );
  const again = await tryWrapped(["--policy", policy, "--learn"], attempts, {
    env,
  });
  assertEquals(again.tried.filter(({ refused }) => refused), [], again.stderr);
  assertMatch(again.stderr, /# as before/);
});

/** Attempts to get out of the walls with nothing granted; each is to be refused. */
const ESCAPES: Record<string, string> = {
  "the user's files": `return fs.readFileSync("/etc/passwd", "utf8")`,
  "a folder's names": `return fs.readdirSync("/")`,
  "the environment": `return Object.keys(process.env).length || null`,
  "the environment of Deno": `return Deno.env.get("HOME") ?? null`,
  "its own environment by /proc":
    `return fs.readFileSync("/proc/self/environ", "utf8")`,
  "loopback": `return await fetch("http://127.0.0.1:80/").then(() => 1)`,
  "metadata": `return await fetch("http://169.254.169.254/").then(() => 1)`,
  "a socket":
    `const net = await import("node:net"); return await new Promise((ok, no) => net.connect(80, "127.0.0.1").on("connect", ok).on("error", no))`,
  "a listener": `return Deno.listen({ port: 0 }).addr`,
  "a name's address": `return await Deno.resolveDns("example.com", "A")`,
  "a process by Node":
    `const { execFileSync } = await import("node:child_process"); return execFileSync("/bin/sh", ["-c", "id"]).toString()`,
  "a process by Deno":
    `return new Deno.Command("/bin/sh", { args: ["-c", "id"] }).outputSync().code`,
  "a signal": `process.kill(process.ppid, 0); return "reached"`,
  "a native library": `return Deno.dlopen("libc.so.6", {})`,
  "process.binding":
    `return process.binding("spawn_sync").spawn({ file: "/bin/true", args: [] }).status`,
  "the machine's name": `return Deno.hostname()`,
  "its own code": `fs.appendFileSync(process.argv[1], "//"); return "written"`,
  "Deno's folder":
    `fs.writeFileSync("/tmp/x-mcp-run-python-wrap", "1"); return "written"`,
  "a module of the web":
    `return Object.keys(await import("https://esm.sh/" + "left-pad"))`,
  "a module of JSR": `return Object.keys(await import("jsr:" + "@std/path"))`,
  "a file as a module":
    `return await import("file:///etc/" + "passwd", { with: { type: "text" } }).then(String)`,
  "a file by require":
    `const { createRequire } = await import("node:module"); return createRequire("/")("/etc/hostname.json")`,
  "a worker with more": `
    const code = 'postMessage(await Deno.readTextFile("/etc/passwd").then(() => "read", String))';
    const worker = new Worker("data:application/javascript," + encodeURIComponent(code), { type: "module" });
    const said = await new Promise((ok) => { worker.onmessage = ({ data }) => ok(data); worker.onerror = (e) => { e.preventDefault(); ok(e.message); }; });
    worker.terminate();
    if (said !== "read") throw new Error(said); return said;`,
  "a thread of Node": `
    const { Worker } = await import("node:worker_threads");
    const said = await new Promise((ok) => new Worker('const fs = require("node:fs"); let said; try { fs.readFileSync("/etc/passwd"); said = "read" } catch (e) { said = e.message } require("node:worker_threads").parentPort.postMessage(said)', { eval: true, env: {} }).on("message", ok).on("error", (e) => ok(e.message)));
    if (said !== "read") throw new Error(said); return said;`,
  "a database":
    `const { DatabaseSync } = await import("node:sqlite"); return new DatabaseSync("/tmp/x-mcp-run-python.db").exec("create table a(b)")`,
  "an inspector": `(await import("node:inspector")).open(0); return "open"`,
  "more permissions":
    `const { state } = await Deno.permissions.request({ name: "read" }); return state === "granted" ? state : null`,
};

for (const [wall, isolation] of Object.entries(WALLS)) {
  Deno.test(`escape: a wrapped server has nothing without a policy (${wall})`, async (t) => {
    const names = Object.keys(ESCAPES);
    const { tried, stderr } = await tryWrapped(
      isolation,
      names.map((name) => ({ kind: "code", code: ESCAPES[name] })),
      { env: { HOME: Deno.env.get("HOME") ?? "/root" } },
    );
    for (const [index, name] of names.entries()) {
      await t.step(name, () => {
        const { found, refused } = tried[index] ??
          { found: `no answer: ${stderr}` };
        assert(refused !== undefined || found === null, JSON.stringify(found));
      });
    }
  });
}

Deno.test("escape: a wrapped server gets no file through links, and cannot move one", async () => {
  await using temp = await tempFolder();
  const [data, out] = await temp.make("data", "out");
  await Deno.writeTextFile(join(out, "secret"), "secret");
  await Deno.symlink(join(out, "secret"), join(data, "link"));
  await Deno.symlink(out, join(data, "folder"));
  const policy = await policyIn(
    temp.path,
    `{ storage: { allow: [{ uri: "fs://${data}/**", access: [read, write] }] } }`,
  );
  const read = (path: string) => ({ kind: "read", path: join(data, path) });
  const code = (code: string) => ({ kind: "code", code });
  const attempts = [
    ...[read("link"), read("folder/secret")],
    code(
      `fs.renameSync("${data}/link", "${data}/moved"); return fs.readFileSync("${data}/moved", "utf8")`,
    ),
    code(
      `fs.symlinkSync("${out}", "${data}/new"); return fs.readdirSync("${data}/new")`,
    ),
    code(
      `fs.linkSync("${out}/secret", "${data}/hard"); return fs.readFileSync("${data}/hard", "utf8")`,
    ),
    code(
      `fs.cpSync("${data}/link", "${data}/copy", { dereference: true }); return fs.readFileSync("${data}/copy", "utf8")`,
    ),
  ];
  for (const isolation of Object.values(WALLS)) {
    const { tried } = await tryWrapped([...isolation, ...policy], attempts);
    // Behind bubblewrap a link can be made, and leads nowhere.
    assertEquals(
      tried.map(({ refused }) => typeof refused),
      attempts.map(() => "string"),
      JSON.stringify(tried),
    );
  }
  await Deno.mkdir(join(data, "deep"));
  await Deno.symlink(out, join(data, "deep", "link"));
  const { code: exit, stderr } = await tryWrapped(policy, []);
  assertEquals(exit, 1);
  assertMatch(stderr, /may move its folder/);
});

Deno.test("escape: a file cannot read by its imports outside its project", async () => {
  await using temp = await tempFolder();
  const [project] = await temp.make("project");
  await Deno.writeTextFile(join(temp.path, "secret.json"), `{"a":1}`);
  const server = join(project, "server.mjs");
  const imports = {
    static: `import a from "../secret.json" with { type: "json" };`,
    dynamic:
      `const a = await import("../secret.json", { with: { type: "json" } });`,
    text:
      `const a = await import("../secret.json", { with: { type: "text" } });`,
    remote: `import "https://example.com/a.js"; const a = 1;`,
    jsr: `import "jsr:@std/path@1"; const a = 1;`,
  };
  for (const [name, line] of Object.entries(imports)) {
    await Deno.writeTextFile(server, `${line}\nconsole.log("ran", a);`);
    const { code, stdout, stderr } = await tryWrapped([], [], {
      server: ["node", server],
    }).catch((error) => ({ code: 0, stdout: String(error), stderr: "" }));
    assertEquals([code, stdout], [1, ""], name);
    assertMatch(stderr, /Cannot (wrap|fetch) ".*server\.mjs"/, name);
  }
});

Deno.test("escape: a wrapped server that writes to folders for a time reaches no file of its run", async () => {
  await using temp = await tempFolder();
  const [data, times] = await temp.make("data", "times");
  const policy = await policyIn(
    data,
    `{ storage: { allow: [{ uri: "fs://${times}/**", access: [read, write] }] } }`,
  );
  const { tried, stderr } = await tryWrapped(policy, [{
    kind: "code",
    code:
      `return fs.readdirSync("${times}").filter((name) => !name.startsWith("deno"))`,
  }], { env: { TMPDIR: times } });
  assertEquals(tried, [{ found: [] }], stderr);
});

Deno.test("escape: no script of a package runs when a server is fetched, whatever its project says", async () => {
  await using temp = await tempFolder();
  const project = {
    "deno.json": `{ "nodeModulesDir": "auto", "allowScripts": true }`,
    "server.mjs": `import "npm:zod@4.6.7"; process.stdout.write('"ran"\\n');`,
  };
  for (const [name, text] of Object.entries(project)) {
    await Deno.writeTextFile(join(temp.path, name), text);
  }
  const { stdout, stderr } = await tryWrapped([], [], {
    ...{ server: ["deno", "run", "-A", "server.mjs"], cwd: temp.path },
  });
  assertEquals(stdout, '"ran"\n', stderr);
  // Scripts run where Deno fills this folder.
  const names = await namesIn(temp.path);
  assertEquals(names, Object.keys(project).sort());
});

Deno.test("escape: a wrapped server may not write to its own code", async () => {
  await using temp = await tempFolder();
  const [code] = await temp.make("code");
  const server = join(code, "server.mjs");
  await Deno.copyFile(TRYING, server);
  const policy = await policyIn(
    temp.path,
    `{ storage: { allow: [{ uri: "fs://${code}/**", access: [read, write] }] } }`,
  );
  const tried = await tryWrapped(policy, [], {
    server: ["node", server],
  });
  assertEquals(tried.code, 1);
  assertMatch(
    tried.stderr,
    /Cannot let the server write to .*which it runs from/,
  );
});

Deno.test("escape: a wrapped server leaves nothing in Deno's folder", async () => {
  await using temp = await tempFolder();
  const [cache] = await temp.make("cache");
  const { tried } = await tryWrapped([], [{
    kind: "code",
    code:
      `try { localStorage.x = "1" } catch {} const c = await caches.open("x"); await c.put("http://a/b", new Response("1")); return 1`,
  }], { env: { DENO_DIR: cache } });
  assertEquals(tried.length, 1);
  const kept = await Array.fromAsync(
    Deno.readDir(join(cache, "location_data")),
    ({ name }) => name,
  ).catch(() => []);
  assertEquals(kept, []);
});

Deno.test("wrap: bytes pass untouched, the exit code comes back, and floods do not stop it", async () => {
  await using temp = await tempFolder();
  const server = join(temp.path, "flood.mjs");
  await Deno.writeTextFile(
    server,
    `let bytes = 0; for await (const chunk of process.stdin) bytes += chunk.length;
const line = Buffer.alloc(1 << 20, 0xff); for (let i = 0; i < 16; i++) await new Promise((ok) => process.stdout.write(line, ok));
process.stderr.write("said " + bytes + "\\n"); process.exitCode = 7;`,
  );
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", CLI, "wrap", "--", "node", server],
    ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
  }).spawn();
  const writer = child.stdin.getWriter();
  for (let i = 0; i < 16; i++) await writer.write(new Uint8Array(1 << 20));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  assertEquals(code, 7);
  assertEquals(stdout.length, 16 << 20);
  assert(stdout.every((byte) => byte === 0xff));
  assertMatch(new TextDecoder().decode(stderr), /said 16777216/);
});

for (const [wall, isolation] of Object.entries(WALLS)) {
  Deno.test({
    name: `escape: no server outlives a wrap that is killed (${wall})`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      await using temp = await tempFolder();
      const server = join(temp.path, "stubborn.mjs");
      await Deno.writeTextFile(
        server,
        `process.on("SIGTERM", () => {}); console.log("up"); setInterval(() => {}, 1000);`,
      );
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", CLI, "wrap", ...isolation, "--", "node", server],
        ...{ stdin: "piped", stdout: "piped", stderr: "null" },
      }).spawn();
      const reader = child.stdout.getReader();
      await reader.read();
      const family = [child.pid, ...descendants(child.pid)];
      assert(family.length >= 2, String(family));
      child.kill("SIGKILL");
      await child.status;
      assertEquals(await whichOutlive(family), []);
      await reader.cancel();
      await child.stdin.close().catch(() => {});
    },
  });
}

Deno.test("wrap: a native program is refused without bubblewrap, and with hosts", async () => {
  await using temp = await tempFolder();
  const alone = { env: { PATH: "/nowhere" } };
  const { code, stderr, stdout } = await tryWrapped([], [], {
    ...{ ...alone, server: ["/bin/sh", "-c", "echo ran"] },
  });
  assertEquals([code, stdout], [1, ""]);
  assertMatch(stderr, /bwrap|bubblewrap/);
  if (noBwrap) return;
  const policy = await policyIn(
    temp.path,
    `{ network: { allow: [{ host: example.com }] } }`,
  );
  const hosts = await tryWrapped(policy, [], {
    server: ["/bin/sh", "-c", "echo ran"],
  });
  assertEquals([hosts.code, hosts.stdout], [2, ""]);
  assertMatch(hosts.stderr, /cannot tell hosts apart/);
});

Deno.test({
  name:
    "escape: a native program is refused a policy that bubblewrap cannot hold",
  ignore: Boolean(noBwrap),
  async fn() {
    await using temp = await tempFolder();
    const [work] = await temp.make("work");
    const uri = `uri: "fs://${work}/**"`;
    const git = `fs://${work}/.git`;
    const cases: [string, RegExp][] = [
      [`allow: [{ ${uri}, access: [write] }]`, /without reading it/],
      [
        `allow: [{ ${uri}, access: [read, write] }], deny: [{ uri: "${git}", access: [write] }]`,
        /Cannot keep ".*\.git".*as it is not there/,
      ],
    ];
    for (const [storage, reason] of cases) {
      const policy = await policyIn(temp.path, `{ storage: { ${storage} } }`);
      const server = ["/bin/sh", "-c", "echo ran"];
      const tried = await tryWrapped(policy, [], { server });
      assertEquals([tried.code, tried.stdout], [2, ""]);
      assertMatch(tried.stderr, reason);
    }
  },
});

Deno.test("escape: no wrapped server may write its own policy", async () => {
  await using temp = await tempFolder();
  const policy = await policyIn(
    temp.path,
    `{ storage: { allow: [{ uri: "fs://${temp.path}/**", access: [write] }] } }`,
  );
  const server = ["/bin/sh", "-c", "echo ran"];
  const { code, stdout, stderr } = await tryWrapped(policy, [], { server });
  assertEquals([code, stdout], [2, ""]);
  assertMatch(stderr, /lets its guest write this policy/);
});

Deno.test({
  name:
    "escape: a native program behind bubblewrap sees no file, network or variable",
  ignore: Boolean(noBwrap),
  async fn() {
    await using web = startWebServer();
    const script = [
      "cat /etc/passwd && echo FILE",
      `ls "${Deno.env.get("HOME") ?? "/root"}"/* && echo HOME`,
      "env | grep SECRET && echo VARIABLE",
      `exec 3<>/dev/tcp/127.0.0.1/${web.port} && echo NET`,
      "ls /proc | grep -qx 1 && kill -0 2>/dev/null $OUTER && echo PROCESS",
      "touch /usr/x && echo WRITTEN",
      "true",
    ].join("; ");
    const { code, stdout } = await tryWrapped([], [], {
      env: { SECRET: "s3cret", OUTER: String(Deno.pid) },
      server: [
        "bash",
        "-c",
        `{ ${script}; } 2>/dev/null | grep -E '^[A-Z]+$'; echo '"end"'`,
      ],
    }).catch((error) => ({ code: -1, stdout: String(error) }));
    assertEquals([code, stdout], [0, '"end"\n']);
    assertEquals(web.requests, []);
  },
});

Deno.test({
  name:
    "wrap: mcp-server-git of PyPI works with its policy, and sees nothing else",
  ignore: Boolean(noBwrap),
  async fn() {
    await using temp = await tempFolder();
    const [repository] = await temp.make("repository");
    const configured = await pypiServers(repository);
    if ("reason" in configured) {
      log(`skipped: wrap of mcp-server-git: ${configured.reason}`);
      return;
    }
    const { git } = configured.servers;
    if (!git || !("command" in git)) throw new Error("No server");
    const python = await Deno.realPath(git.command);
    const packages = git.env?.PYTHONPATH ?? "";
    const reads = [packages, ...PYTHON_OUTSIDE(python)]
      .map((path) => `{ uri: "fs://${path}/**", access: [read] }`);
    const policy = await policyIn(
      temp.path,
      `{ environment: { allow: [{ key: PYTHONPATH }] }, storage: { allow: [${[
        ...reads,
        `{ uri: "fs://${repository}/**", access: [read] }`,
      ]}] } }`,
    );
    await using server = await connectWrapped(
      policy,
      [git.command, ...git.args],
      git.env,
    );
    const { text, isError } = await callTool(server, "git_status", {
      repo_path: repository,
    });
    assertEquals(isError, false, text);
    assertMatch(text, /No commits yet/);
    const outside = await callTool(server, "git_status", {
      repo_path: temp.path,
    });
    assertEquals(outside.isError, true, outside.text);
  },
});

/** The folders of a CPython that is not the system's. */
function PYTHON_OUTSIDE(python: string): string[] {
  return python.startsWith("/usr/") ? [] : [join(python, "../..")];
}
