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
import { CACHE } from "./support/command.ts";
import { tempFolder } from "./support/folder.ts";
import { otherUser } from "./support/other_user.ts";
import { serveBy } from "./support/http_server.ts";

const ROOT = fileURLToPath(import.meta.resolve("../"));
const TOKEN = "0123456789abcdef0123456789abcdef";
const [DOCKERFILE, UNIT] = ["Dockerfile", "deploy/mcp-run-python.service"];
const OTHERS = ["deploy/compose.yaml", "deploy/kubernetes/deployment.yaml"];
/** Where Deno is for the unit. */
const BIN = "/usr/local/bin";
/** As `systemd-analyze security` counts, from 0 to 100. */
const MOST_EXPOSURE = 15;

Deno.test("the image's command serves, as a user that can write nothing of the image", async (test) => {
  const image = readDockerfile(await read(DOCKERFILE));
  await using folder = await tempFolder();
  const place = dirname(image.entry[0] ?? "");
  const inFolder = (text: string) =>
    text.replaceAll(place, join(folder.path, place));
  const env = {
    PATH: "/usr/bin:/bin",
    ...Object.fromEntries(
      Object.entries(image.env)
        .map(([name, value]) => [name, inFolder(value)]),
    ),
  };
  const cwd = inFolder(place);

  await test.step("its build", async () => {
    const stage = join(folder.path, image.folder);
    await copy(image.copies, folder.path);
    const bundles = image.run.filter((line) => line.includes(" bundle "));
    assertEquals(bundles.length, 1);
    for (const line of bundles) {
      // The bundle is written where a file of the last stage is already.
      const made = join(folder.path, "made");
      const { success, stderr } = await new Deno.Command("sh", {
        args: ["-c", line.replace(place, made)],
        ...{ cwd: stage, clearEnv: true },
        env: {
          PATH: `${dirname(Deno.execPath())}:/usr/bin:/bin`,
          ...{ DEPS: "", DENO_DIR, MCP_RUN_PYTHON_CACHE: CACHE },
        },
      }).output();
      assert(success, new TextDecoder().decode(stderr));
      await output("cp", ["-R", `${made}/.`, cwd]);
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
    const { success } = await new Deno.Command(health, {
      ...{ args: healthArgs, cwd, clearEnv: true, env: { ...env, ...more } },
    }).output();
    return success;
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
  const all = [dockerfile, ...await Promise.all([UNIT, ...OTHERS].map(read))];
  for (const [name] of all.join("\n").matchAll(/MCP_RUN_PYTHON_[A-Z_]+/g)) {
    assert(known.has(name), name);
  }
  assertMatch(readDockerfile(dockerfile).user, /^[1-9]\d*:[1-9]\d*$/);
});

/** Does the copies of an image whose root is a folder. */
async function copy(
  copies: Image["copies"],
  folder: string,
): Promise<void> {
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
