import { assertEquals, assertThrows } from "../../../deps/assert.ts";
import { saying } from "../../../test/support/user_error.ts";
import { toGuestCommand } from "./guest_command.ts";

Deno.test("toGuestCommand() finds the package of npx and its like", () => {
  const lines = {
    "npx -y @a/b@1.2.3 one -y": ["@a/b@1.2.3", "one", "-y"],
    "npx --yes b": ["b"],
    "npx --package=@a/b run x": ["@a/b/run", "x"],
    "npx -y -p @a/b@1 run": ["@a/b@1/run"],
    "/opt/node/bin/npx.cmd b@latest": ["b@latest"],
    "npm exec -y -- b x": ["b", "x"],
    "bunx b": ["b"],
    "pnpm dlx b x": ["b", "x"],
    "yarn dlx b": ["b"],
    "npm:@a/b@1/run x": ["@a/b@1/run", "x"],
    "deno run -A npm:b@^1 x": ["b@^1", "x"],
  };
  for (const [line, [name = "", ...args]] of Object.entries(lines)) {
    const command = toGuestCommand(line.split(" "));
    assertEquals(command, { kind: "npm", name, args }, line);
  }
});

Deno.test("toGuestCommand() finds the file of interpreters, and other programs", () => {
  const script = (path: string, ...args: string[]) => ({
    ...{ kind: "script", path, args },
  });
  const lines = {
    "node dist/index.js --x": script("dist/index.js", "--x"),
    "./server.mts": script("./server.mts"),
    "deno run --allow-read=/a -A --no-prompt s.ts -A": script("s.ts", "-A"),
    "deno s.ts": script("s.ts"),
    "a.wasm x": { kind: "wasm", path: "a.wasm", args: ["x"] },
    "uvx mcp-server-git": {
      ...{ kind: "native", program: "uvx", args: ["mcp-server-git"] },
    },
    "npm start": { kind: "native", program: "npm", args: ["start"] },
  };
  for (const [line, command] of Object.entries(lines)) {
    assertEquals<unknown>(toGuestCommand(line.split(" ")), command, line);
  }
});

Deno.test("toGuestCommand() refuses what would run something else, with the reason", () => {
  const lines = {
    "npx -c id": "with -c",
    "npx -y": "without a package",
    "npx github:a/b": "not a package of npm",
    "npx ./folder": "not a package of npm",
    "npx --yes a,b": "not a package of npm",
    "node --import ./x.mjs s.js": "with --import",
    "node": "without its file",
    "deno run --config d.json s.ts": "with --config",
    "deno run -A": "without its file",
    "deno run jsr:@a/b": "only packages of npm and files",
    "https://example.com/s.ts": "only packages of npm and files",
  };
  for (const [line, message] of Object.entries(lines)) {
    const act = () => toGuestCommand(line.split(" "));
    assertThrows(act, saying(message));
  }
});
