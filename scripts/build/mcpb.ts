import { join } from "node:path";
import process from "node:process";
import { copyProgram } from "../../src/launcher/bundling/write_bundle.ts";
import { run } from "../../src/launcher/bundling/run.ts";
import { toDenoVariables } from "../../src/launcher/bundling/start.ts";
import { writeJson } from "../../src/launcher/bundling/write_program.ts";
import { VERSION } from "../../src/version.ts";
import { tempFolder } from "../../test/support/folder.ts";
import { DESCRIPTION, TITLE } from "./identity.ts";

/** The official tool, which validates the manifest, too. */
export const MCPB = "npm:@anthropic-ai/mcpb@2.1.2";

/** A system and its processor, as Node and the npm packages of Deno name them. */
export const THIS_PLATFORM = `${process.platform}-${process.arch}`;

/**
 * Makes a bundle for desktop clients: Deno, the program and its npm packages, but
 * no environment, as the client's user chooses the packages of Python.
 *
 * @param folder Gets the bundle.
 * @param platform Such as `darwin-arm64`.
 * @returns The name of the file.
 */
export async function buildMcpb(
  folder: string,
  platform: string = THIS_PLATFORM,
): Promise<string> {
  await using stage = await tempFolder();
  const [system = ""] = platform.split("-");
  const deno = system === "win32" ? "deno.exe" : "deno";
  await copyDeno(platform, join(stage.path, deno));
  await copyProgram(stage.path);
  const manifest = toManifest(system, deno);
  await writeJson(join(stage.path, "manifest.json"), manifest);
  const name = `mcp-run-python-${VERSION}-${platform}.mcpb`;
  await runMcpb(["pack", stage.path, join(folder, name)]);
  return name;
}

/** Runs the official tool. */
export async function runMcpb(args: string[]): Promise<void> {
  await run(Deno.execPath(), ["run", "-A", "--no-config", MCPB, ...args]);
}

async function copyDeno(platform: string, to: string): Promise<void> {
  if (platform === THIS_PLATFORM) {
    return await Deno.copyFile(Deno.execPath(), to);
  }
  await using folder = await tempFolder();
  const name = `@deno/${platform}${
    platform.startsWith("linux") ? "-glibc" : ""
  }`;
  await run("npm", [
    // It is not for this platform.
    ...["install", "--force", "--no-audit", "--no-fund"],
    ...["--prefix", folder.path, `${name}@${Deno.version.deno}`],
  ]);
  const file = platform.startsWith("win32") ? "deno.exe" : "deno";
  await Deno.copyFile(join(folder.path, "node_modules", name, file), to);
  await Deno.chmod(to, 0o755);
}

function toManifest(system: string, deno: string): unknown {
  const folder = "${__dirname}/";
  return {
    ...{ manifest_version: "0.3", name: "mcp-run-python", version: VERSION },
    ...{ display_name: TITLE, description: DESCRIPTION, license: "MIT" },
    author: { name: "The mcp-run-python authors" },
    keywords: ["python", "sandbox", "code", "pyodide"],
    server: {
      type: "binary",
      entry_point: deno,
      mcp_config: {
        command: folder + deno,
        args: [
          ...["run", "-A", "--cached-only", `${folder}program/cli.ts`],
          ...["stdio", "${user_config.folders}"],
        ],
        env: {
          ...toDenoVariables(folder),
          MCP_RUN_PYTHON_DEPS: "${user_config.packages}",
          MCP_RUN_PYTHON_ALLOW_NET: "${user_config.hosts}",
        },
      },
    },
    // A value without a default stays a name in braces.
    user_config: {
      packages: {
        ...{ type: "string", title: "Packages", default: "" },
        description:
          "Python packages to install first, with commas between: numpy, pandas>=2",
      },
      folders: {
        ...{ type: "directory", title: "Folders", multiple: true, default: [] },
        description:
          "Folders that Python can read, at /mnt and their names. It can read no others.",
      },
      hosts: {
        ...{ type: "string", title: "Hosts", default: "" },
        description:
          "Hosts that Python can reach, with commas between: api.example.com:443. It can reach no others.",
      },
    },
    tools: [{
      name: "run_python_code",
      description:
        "Runs Python code in a sandbox, with its packages and files.",
    }],
    tools_generated: true,
    compatibility: { platforms: [system] },
  };
}
