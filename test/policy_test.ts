/**
 * Policies (`--policy`) over real servers: the table of cases that all guests share,
 * and what Python is told of a denial.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { fileURLToPath } from "node:url";
import { PERMISSIONS } from "../src/grants/permissions.ts";
import { maybe } from "../src/errors.ts";
import { toBwrapFlags } from "../src/launcher/bwrap_flags.ts";
import { toDenoFlags } from "../src/launcher/flags.ts";
import { tryBwrap } from "../src/launcher/isolation.ts";
import { log } from "../src/log.ts";
import { command } from "./support/command.ts";
import { tempFolder } from "./support/folder.ts";
import { callRun } from "./support/monty_call.ts";
import { type Attempt, layPolicyGround } from "./support/policy_cases.ts";
import { startServer, type TestServer } from "./support/server.ts";

/** Tries in both engines; gives the words of each refusal, and None where there is none. */
const TRY = `
import json
import os
def look(attempt):
    kind = attempt["kind"]
    if kind == "read":
        return open("/mnt/" + attempt["path"]).read()
    if kind == "write":
        with open("/mnt/" + attempt["path"], "w") as file:
            file.write("changed")
        return "changed"
    if kind == "env":
        return os.environ[attempt["name"]]
    return reach("http://" + attempt["host"] + "/x")
def attempt_all(attempts):
    said = []
    for attempt in attempts:
        try:
            look(attempt)
            said.append(None)
        except Exception as error:
            said.append(repr(error))
    return json.dumps(said)
`;
const PYODIDE = `
import urllib.request
def reach(url):
    return urllib.request.urlopen(url).read()
`;
const MONTY = "def reach(url):\n    return http_request(url)\n";

/** Whether the wall let an attempt pass: without an error, or with one of the world's. */
function isAllowed({ kind }: Attempt, said: unknown): boolean {
  return said === null ||
    kind === "net" && !/No network access|Permission/.test(String(said));
}

/** Runs code on each engine. */
const ENGINES = {
  async pyodide(server: TestServer, code: string) {
    const { returnValue: result, text } = await server.call(code);
    return { result, text };
  },
  async monty(server: TestServer, code: string) {
    const { result, text } = await callRun(server, code);
    return { result: Object(result).String ?? result, text };
  },
};

for (const [engine, run] of Object.entries(ENGINES)) {
  Deno.test(`policy: the cases of all guests, for Python (${engine})`, async (t) => {
    await using ground = await layPolicyGround();
    for (const [name, value] of Object.entries(ground.env)) {
      Deno.env.set(name, value);
    }
    for (const one of ground.cases) {
      await t.step(one.name, async () => {
        const options = [
          "--engine",
          engine,
          "--policy",
          await ground.write(one),
        ];
        await using server = await startServer(options);
        const attempts = one.attempts.map(([attempt]) => attempt);
        const code = `${TRY}${
          engine === "monty" ? MONTY : PYODIDE
        }attempt_all(${JSON.stringify(attempts)})`;
        const { result, text } = await run(server, code);
        const said: unknown = JSON.parse(String(result));
        assert(Array.isArray(said), text);
        assertEquals(
          one.attempts.map((
            [attempt],
            index,
          ) => [attempt, isAllowed(attempt, said[index])]),
          one.attempts,
          JSON.stringify(said),
        );
      });
    }
  });
}

/** A folder with a denied part, and its policy. */
async function layDenied() {
  const folder = await tempFolder();
  const [data, deep, , sub] = await folder.make(
    ...["data", "data/deep", "data/deep/secret", "data/sub"] as const,
  );
  await Deno.writeTextFile(join(deep, "secret/file.txt"), "text");
  await Deno.writeTextFile(join(sub, "kept.txt"), "kept");
  const policy = join(folder.path, "policy.yaml");
  await Deno.writeTextFile(
    policy,
    `
version: "1.0"
permissions:
  storage:
    allow: [{ uri: "fs://data/**", access: [read, write] }]
    deny:
      - { uri: "fs://data/deep/secret/**", access: [read, write] }
      - { uri: fs://data/sub/kept.txt, access: [write] }
`,
  );
  return { folder, policy, data };
}

/** Steps around a denial; each must fail. */
const AROUND = [
  'os.rename("/mnt/data/deep", "/mnt/data/moved")',
  'os.rename("/mnt/data/deep/secret", "/mnt/data/moved")',
  'os.rename("/mnt/data/sub", "/mnt/data/moved")',
  'os.rename("/mnt/data/sub/kept.txt", "/mnt/data/moved.txt")',
  'os.rename("/mnt/data/other", "/mnt/data/sub")',
  'os.rename("/mnt/data/new.txt", "/mnt/data/sub/kept.txt")',
  'os.remove("/mnt/data/sub/kept.txt")',
  'os.listdir("/mnt/data/deep/secret")',
];

for (const [engine, run] of Object.entries(ENGINES)) {
  Deno.test(`escape: no move leads around a denial of a policy (${engine})`, async () => {
    const { folder, policy, data } = await layDenied();
    await using _folder = folder;
    await using server = await startServer([
      ...["--engine", engine, "--policy", policy],
    ]);
    const { result, text } = await run(
      server,
      `
import json
import os
os.mkdir("/mnt/data/other")
with open("/mnt/data/new.txt", "w") as file:
    file.write("new")
steps = [${AROUND.map((step) => `lambda: ${step}`).join(", ")}]
came = []
for step in steps:
    try:
        came.append(repr(step()))
    except OSError as error:
        came.append(None)
json.dumps([came, os.listdir("/mnt/data/deep"), open("/mnt/data/sub/kept.txt").read()])`,
    );
    assertEquals(
      JSON.parse(String(result)),
      [AROUND.map(() => null), [], "kept"],
      text,
    );
    assertEquals(
      await Deno.readTextFile(join(data, "deep/secret/file.txt")),
      "text",
    );
  });
}

Deno.test("policy: a worker inherits the denials of its process, and gives up what is not its guest's", async () => {
  const { folder, data } = await layDenied();
  await using _folder = folder;
  const support = fileURLToPath(import.meta.resolve("./support"));
  const places = {
    ...{ environment: [], runtime: [], hosts: [] },
    program: [dirname(dirname(support)) + "/src", support],
    ...{ mounts: [data], writableMounts: [data] },
    deniedReads: [join(data, "deep/secret")],
    deniedWrites: [join(data, "sub/kept.txt")],
  };
  const paths = [
    ...[data, join(data, "sub/x")],
    ...[...places.deniedReads, join(data, "deep/secret/file.txt")],
    ...[...places.deniedWrites, support],
  ];
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", ...toDenoFlags(PERMISSIONS.sandbox, places)],
      join(support, "denied_process.ts"),
      ...[JSON.stringify(places), JSON.stringify(paths)],
    ],
  }).output();
  const [shown, said] = [stdout, stderr]
    .map((bytes) => new TextDecoder().decode(bytes));
  assertEquals(
    JSON.parse(shown || "{}"),
    {
      [data]: ["granted", "granted"],
      [join(data, "sub/x")]: ["granted", "granted"],
      [join(data, "deep/secret")]: ["denied", "granted"],
      [join(data, "deep/secret/file.txt")]: ["denied", "granted"],
      [join(data, "sub/kept.txt")]: ["granted", "denied"],
      [support]: ["prompt", "prompt"],
    },
    said,
  );
});

const bwrap = await tryBwrap();
if ("reason" in bwrap) {
  log(`skipped: denials behind the second wall: ${bwrap.reason}`);
}

Deno.test({
  name: "policy: the second wall covers what is denied",
  ignore: "reason" in bwrap,
  async fn() {
    const { folder, policy, data } = await layDenied();
    await using _folder = folder;
    await using server = await startServer([
      ...["--isolation", "bwrap", "--policy", policy],
    ]);
    const { returnValue, text } = await server.call(`
import os
said = []
for step in [
    lambda: os.listdir("/mnt/data/deep"),
    lambda: open("/mnt/data/sub/kept.txt").read(),
    lambda: open("/mnt/data/new.txt", "w").write("new"),
    lambda: open("/mnt/data/deep/secret/file.txt").read(),
    lambda: open("/mnt/data/sub/kept.txt", "a"),
]:
    try:
        said.append(step())
    except OSError as error:
        said.append("refused")
said`);
    assertEquals(returnValue, [[], "kept", 3, "refused", "refused"], text);
    // The wall by itself, without Deno's flags.
    const shell = "cat deep/secret/file.txt; cat sub/kept.txt; " +
      "echo x >> sub/kept.txt; mv deep/secret moved; cat key";
    const key = join(data, "key");
    await Deno.writeTextFile(key, "key");
    if ("reason" in bwrap) return;
    const folders = ["/usr", "/bin", "/lib", "/lib64"]
      .filter((path) => maybe(() => Deno.statSync(path)));
    const { stdout } = await new Deno.Command(bwrap.program, {
      args: [
        ...toBwrapFlags({
          ...{ paths: folders, writable: [data], folders: [], links: {} },
          variables: { PATH: "/usr/bin:/bin" },
          covers: [
            {
              ...{ path: join(data, "deep/secret"), isFolder: true },
              isHidden: true,
            },
            {
              ...{ path: join(data, "sub/kept.txt"), isFolder: false },
              isHidden: false,
            },
            { path: key, isFolder: false, isHidden: true },
          ],
        }),
        ...["/bin/sh", "-c", `cd ${data}; ${shell}`],
      ],
      stderr: "null",
    }).output();
    assertEquals(new TextDecoder().decode(stdout), "kept");
    assertEquals(await Deno.readTextFile(join(data, "sub/kept.txt")), "kept");
  },
});

Deno.test("policy: Monty is told of a denial", async () => {
  const { folder, policy } = await layDenied();
  await using _folder = folder;
  await using server = await startServer([
    ...["--engine", "monty", "--policy", policy],
  ]);
  for (
    const code of [
      'open("/mnt/data/deep/secret/file.txt").read()',
      'import os\nos.rename("/mnt/data/deep", "/mnt/data/x")',
    ]
  ) {
    const { text } = await callRun(server, code);
    assertMatch(
      text,
      /PermissionError: .*\nThe policy of this server denies \/mnt\/data\/deep\/secret: ask the user to take its entry out of permissions\.storage\.deny\./,
    );
  }
  const { text } = await callRun(server, "raise PermissionError(\"'/mnt'\")");
  assert(!text.includes("policy"), text);
});

Deno.test("policy: Python is told of a denial, and of the lines that would grant it", async () => {
  const { folder, policy } = await layDenied();
  await using _folder = folder;
  await using server = await startServer(["--policy", policy]);
  const told: Record<string, RegExp> = {
    'open("/mnt/data/deep/secret/file.txt")':
      /\nPermissionError: .*\nThe policy of this server denies \/mnt\/data\/deep\/secret: ask the user to take its entry out of permissions\.storage\.deny\.$/,
    'import os; os.rename("/mnt/data/deep", "/mnt/data/x")':
      /denies \/mnt\/data\/deep\/secret: ask the user/,
    'import urllib.request; urllib.request.urlopen("http://other.invalid/")':
      /No network access to "other\.invalid:80": ask the user to start the server with --allow-net other\.invalid, or with a policy in which permissions\.network\.allow: \[\{ host: "other\.invalid" \}\] would grant it/,
  };
  for (const [code, words] of Object.entries(told)) {
    const { status, text } = await server.call(code);
    assertEquals(status, "run-error", text);
    assertMatch(text.replace(/<\/?\w+>/g, "").trim(), words);
  }
});

/** The YAML of docs/policy.md, and what it shows of `policy check`. */
const PAGE = Deno.readTextFileSync(
  new URL("../docs/policy.md", import.meta.url),
);
const EXAMPLES = [...PAGE.matchAll(/^```yaml\n(.*?)^```$/gms)]
  .map(([, text = ""]) => text);

Deno.test("policy check: each example of docs/policy.md is explained, and the page shows it", async () => {
  await using folder = await tempFolder();
  await folder.make("project", "reports", "project/.git");
  await Deno.writeTextFile(join(folder.path, "project/.env"), "");
  const file = join(folder.path, "policy.yaml");
  const said: string[] = [];
  for (const text of EXAMPLES) {
    await Deno.writeTextFile(file, text);
    const { code, stdout, stderr } = await command(["policy", "check", file], {
      env: { OPENWEATHER_API_KEY: "secret-value" },
    });
    assertEquals([code, stderr], [0, ""]);
    said.push(stdout);
  }
  assertEquals(said.length, 5);
  const shown = said[1]?.replaceAll(folder.path, "/home/ada") ?? "";
  assert(PAGE.includes(`\`\`\`\n${shown}\`\`\`\n`), shown);
  assertMatch(said[0] ?? "", /finds the variables OPENWEATHER_API_KEY\./);
  assert(!said.join().includes("secret-value"));
});

Deno.test("policy check: a bad policy ends with 2, and doctor shows the grants of a good one", async () => {
  const { folder, policy } = await layDenied();
  await using _folder = folder;
  const bad = join(folder.path, "bad.yaml");
  await Deno.writeTextFile(bad, 'version: "1.0"\npermisions: {}\n');
  for (const words of [["policy", "check", bad], ["--policy", bad, "stdio"]]) {
    const { code, stderr } = await command(words);
    assertEquals(code, 2);
    assertMatch(
      stderr,
      /bad\.yaml": line 2, permisions is a key .* Did you mean permissions\?/,
    );
  }
  const { stderr } = await command(["policy", "check", folder.path]);
  assertMatch(stderr, /Cannot read the policy ".*": .*\. Name a YAML file/);
  const { stdout } = await command(["--policy", policy, "doctor", "--json"]);
  const { grants } = JSON.parse(stdout);
  assert(
    grants.some((line: string) => line.startsWith("It may not read or write")),
    String(grants),
  );
});
