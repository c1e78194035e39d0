import { join } from "node:path";
import { arch, platform } from "node:process";
import {
  copyProgram,
  DENO,
  toDenoVariables,
} from "../../src/launcher/bundling/write_bundle.ts";
import { run, writeJson } from "../../src/launcher/bundling/write_program.ts";
import { VERSION } from "../../src/version.ts";
import { tempFolder } from "../../test/support/folder.ts";
import { DESCRIPTION, TITLE } from "./identity.ts";

/** The official tool, which validates the manifest, too. */
export const MCPB = "npm:@anthropic-ai/mcpb@2.1.2";

/**
 * Makes a bundle for desktop clients of this platform: Deno, the program and its
 * npm packages, but no environment, as the client's user chooses the packages.
 *
 * @param folder Gets the bundle.
 * @returns The name of the file.
 */
export async function buildMcpb(folder: string): Promise<string> {
  await using stage = await tempFolder();
  await Deno.copyFile(Deno.execPath(), join(stage.path, DENO));
  await copyProgram(stage.path);
  await writeJson(join(stage.path, "manifest.json"), MANIFEST);
  const name = `mcp-run-python-${VERSION}-${platform}-${arch}.mcpb`;
  await runMcpb(["pack", stage.path, join(folder, name)]);
  return name;
}

/** Runs the official tool. */
export async function runMcpb(args: string[]): Promise<void> {
  await run(Deno.execPath(), ["run", "-A", "--no-config", MCPB, ...args]);
}

const FOLDER = "${__dirname}/";

const MANIFEST = {
  ...{ manifest_version: "0.3", name: "mcp-run-python", version: VERSION },
  ...{ display_name: TITLE, description: DESCRIPTION, license: "MIT" },
  author: { name: "The mcp-run-python authors" },
  keywords: ["python", "sandbox", "code", "pyodide"],
  server: {
    type: "binary",
    entry_point: DENO,
    mcp_config: {
      command: FOLDER + DENO,
      args: [
        ...["run", "-A", "--cached-only", `${FOLDER}program/cli.ts`],
        ...["stdio", "--", "${user_config.folders}"],
      ],
      env: {
        ...toDenoVariables(FOLDER),
        MCP_RUN_PYTHON_DEPS: "${user_config.packages}",
        MCP_RUN_PYTHON_ALLOW_NET: "${user_config.hosts}",
        // Claude Desktop waits for 60 s.
        MCP_RUN_PYTHON_MAX_TIMEOUT: "50",
      },
    },
  },
  // A value without a default stays a name in braces.
  "user_config": {
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
    description: "Runs Python code in a sandbox, with its packages and files.",
  }],
  "tools_generated": true,
  compatibility: { platforms: [platform] },
};
