/**
 * The files of `deploy/` and the Dockerfile. Without a container engine the image
 * is a folder: made by the same copies and commands, and entered by the same
 * command and variables, by a user who can write nothing of it.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { DENO_DIR } from "../src/launcher/program_files.ts";
import { log } from "../src/log.ts";
import { OPTIONS } from "../src/settings.ts";
import { type Image, readDockerfile } from "./support/dockerfile.ts";
import { tempFolder } from "./support/folder.ts";
import { serveBy } from "./support/http_server.ts";

const ROOT = fileURLToPath(import.meta.resolve("../"));
const TOKEN = "0123456789abcdef0123456789abcdef";
const [DOCKERFILE, UNIT, COMPOSE] = [
  "Dockerfile",
  "deploy/mcp-run-python.service",
  "deploy/compose.yaml",
];
/** Where Deno is in the image. */
const BIN = "/usr/local/bin";
/** As `systemd-analyze security` counts, from 0 to 100. */
const MOST_EXPOSURE = 15;

Deno.test("the image's command serves, as a user that can write nothing of the image", async (test) => {
  const image = readDockerfile(await read(DOCKERFILE));
  await using folder = await tempFolder();
  const inFolder = (text: string) =>
    text.replaceAll(image.folder, join(folder.path, image.folder));
  const env = {
    PATH: `${join(folder.path, BIN)}:/usr/bin:/bin`,
    ...Object.fromEntries(
      Object.entries(image.env).map(([name, value]) => [
        name,
        inFolder(value.replace("$DEPS", "")),
      ]),
    ),
  };
  const cwd = inFolder(image.folder);
  const run = (program: string, args: string[], more = {}) =>
    new Deno.Command(program, {
      ...{ args, cwd, clearEnv: true, env: { ...env, ...more } },
    }).output();

  await test.step("its build", async () => {
    await build(image, cwd);
    const bin = join(folder.path, BIN);
    await Deno.mkdir(bin, { recursive: true });
    await Deno.copyFile(Deno.execPath(), join(bin, "deno"));
    const installs = image.run.filter((line) => line.startsWith("deno "));
    assertEquals(installs.length, 1);
    for (const line of installs) {
      const { success, stderr } = await run("sh", ["-c", line]);
      assert(success, new TextDecoder().decode(stderr));
    }
  });

  const tokens = join(folder.path, "tokens");
  await Deno.writeTextFile(tokens, `test ${TOKEN}\n`);
  await Deno.chmod(folder.path, 0o755);
  await output("chmod", ["-R", "a-w,a+rX", cwd]);
  const as = otherUser(image.user);
  await output("chown", [`--reference=${folder.path}`, tokens]);
  const [program = "", ...args] = [...as, ...image.entry.map(inFolder)];
  const [health = "", ...healthArgs] = [
    ...as,
    ...image.healthCheck.map(inFolder),
  ];
  const isHealthy = async (port: string) => {
    const more = { MCP_RUN_PYTHON_PORT: port };
    return (await run(health, healthArgs, more)).success;
  };
  {
    await using server = await serveBy(program, {
      ...{ args, cwd, clearEnv: true },
      env: {
        ...env,
        MCP_RUN_PYTHON_PORT: "0",
        MCP_RUN_PYTHON_TOKEN_FILE: tokens,
      },
    });
    await test.step("it listens beyond this machine", () => {
      assertEquals(server.url.hostname, "0.0.0.0");
    });
    server.url.hostname = "127.0.0.1";
    await test.step("it runs code", async () => {
      await using client = await server.connect("2026-07-28", { token: TOKEN });
      const { returnValue } = await client.call("6 * 7");
      assertEquals(returnValue, 42);
    });
    await test.step("its health check sees whether it is up", async () => {
      assert(await isHealthy(server.url.port));
    });
    Deno.kill(server.pid, "SIGTERM");
    const { code, stderr } = await server.ended;
    assertEquals(code, 0, stderr);
    await test.step("and that it has ended", async () => {
      assert(!await isHealthy(server.url.port));
    });
  }
  await output("chmod", ["-R", "u+w", cwd]);
});

Deno.test("the unit is right for systemd, and leaves it little to attack", async (test) => {
  if (!await has("systemd-analyze")) {
    return log("skipped: the systemd unit: there is no systemd-analyze");
  }
  await using folder = await tempFolder();
  const path = join(folder.path, "mcp-run-python.service");
  const text = await read(UNIT);
  await Deno.writeTextFile(
    path,
    text.replaceAll(`${BIN}/deno`, Deno.execPath()),
  );
  await test.step("verify", async () => {
    assertEquals(await output("systemd-analyze", ["verify", path]), "");
  });
  await test.step("security", async () => {
    await output("systemd-analyze", [
      ...["security", "--no-pager", "--offline=true"],
      ...[`--threshold=${MOST_EXPOSURE}`, path],
    ]);
  });
});

Deno.test("the files name the Deno that tests run, and options that there are", async () => {
  const dockerfile = await read(DOCKERFILE);
  const [, wanted] = /npx -y deno@([\d.]+)/.exec(await read("README.md")) ?? [];
  assertEquals(readDockerfile(dockerfile).args.DENO_VERSION, wanted);
  const known = new Set(OPTIONS.flatMap(({ variables }) => variables));
  const all = [dockerfile, await read(UNIT), await read(COMPOSE)];
  for (const [name] of all.join("\n").matchAll(/MCP_RUN_PYTHON_[A-Z_]+/g)) {
    assert(known.has(name), name);
  }
  assertMatch(readDockerfile(dockerfile).user, /^[1-9]\d*:[1-9]\d*$/);
});

/** Does the copies of an image, and brings the packages that Deno would download. */
async function build({ copies, env }: Image, folder: string): Promise<void> {
  for (const { sources, target } of copies) {
    for (const source of sources) {
      const isFolder = (await Deno.stat(join(ROOT, source))).isDirectory;
      const to = join(
        folder,
        target,
        isFolder ? "" : source.split("/").at(-1) ?? "",
      );
      await Deno.mkdir(dirname(to), { recursive: true });
      await output("cp", ["-R", join(ROOT, source), to]);
    }
  }
  const denoDir = join(folder, env.DENO_DIR?.split("/").at(-1) ?? "");
  await Deno.mkdir(denoDir);
  await output("cp", ["-R", join(DENO_DIR, "npm"), denoDir]);
}

/** What starts a program as another user, if this user may do that. */
function otherUser(user: string): string[] {
  if (Deno.uid() !== 0) {
    log("skipped: the image's user: these tests are not run by root");
    return [];
  }
  const [uid = "", gid = ""] = user.split(":");
  return [
    ...["setpriv", "--reuid", uid, "--regid", gid, "--clear-groups"],
    ...["--no-new-privs", "--bounding-set", "-all", "--inh-caps", "-all"],
  ];
}

async function has(program: string): Promise<boolean> {
  const { success } = await new Deno.Command("sh", {
    args: ["-c", `command -v ${program}`],
    stdout: "null",
  }).output();
  return success;
}

/** Its output, both ways; fails if it fails. */
async function output(program: string, args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args })
    .output();
  const decoder = new TextDecoder();
  const text = decoder.decode(stderr) + decoder.decode(stdout);
  assert(success, text);
  return text;
}

function read(path: string): Promise<string> {
  return Deno.readTextFile(join(ROOT, path));
}
