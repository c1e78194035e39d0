import { assertEquals } from "../../../deps/assert.ts";
import { resolveCommand } from "./resolve_command.ts";

/** Finds a command among these programs of a system. */
function find(
  os: string,
  programs: string[],
  command: string,
  env: Record<string, string>,
  cwd = os === "windows" ? "C:\\work" : "/work",
): string | undefined {
  return resolveCommand(command, { env, cwd }, {
    os,
    isProgram: (path) => programs.includes(path),
  });
}

Deno.test("resolveCommand() takes the first program on the path of the entry", () => {
  const programs = ["/usr/bin/npx", "/opt/bin/npx", "/work/npx"];
  for (const os of ["linux", "darwin"]) {
    const at = (PATH: string) => find(os, programs, "npx", { PATH });
    assertEquals(at("/opt/bin:/usr/bin"), "/opt/bin/npx");
    assertEquals(at("/none:/usr/bin"), "/usr/bin/npx");
    assertEquals(at(""), undefined);
    // An empty part of the path is not the working folder.
    assertEquals(at(":/none:"), undefined);
    assertEquals(find(os, programs, "npx", {}), undefined);
    assertEquals(find(os, programs, "npx", { PATH: "." }), "/work/npx");
  }
});

Deno.test("resolveCommand() takes a path as it is, from the working folder", () => {
  const programs = ["/work/bin/serve", "/opt/serve"];
  const env = { PATH: "/opt" };
  assertEquals(find("linux", programs, "/opt/serve", {}), "/opt/serve");
  assertEquals(find("linux", programs, "bin/serve", env), "/work/bin/serve");
  assertEquals(find("linux", programs, "./bin/serve", env), "/work/bin/serve");
  assertEquals(find("linux", programs, "./serve", env), undefined);
  assertEquals(find("linux", programs, "../opt/serve", {}), "/opt/serve");
  assertEquals(find("linux", ["/a\\b"], "a\\b", { PATH: "/" }), "/a\\b");
});

Deno.test("resolveCommand() adds the extensions of Windows, in any case of names", () => {
  const programs = [
    ...["C:\\node\\npx.cmd", "C:\\node\\npx", "C:\\py\\python.exe"],
    "C:\\work\\tools\\run.bat",
  ];
  const at = (command: string, env: Record<string, string>) =>
    find("windows", programs, command, env);
  assertEquals(at("npx", { Path: "C:\\node" }), "C:\\node\\npx.cmd");
  assertEquals(at("npx.cmd", { PATH: "C:\\node" }), "C:\\node\\npx.cmd");
  assertEquals(
    at("python", { PATH: "C:\\none;C:\\py", PATHEXT: ".EXE" }),
    "C:\\py\\python.exe",
  );
  assertEquals(at("npx", { PATH: "C:\\node", PATHEXT: ".EXE" }), undefined);
  assertEquals(at("tools\\run", {}), "C:\\work\\tools\\run.bat");
  assertEquals(at("tools/run.bat", {}), "C:\\work\\tools\\run.bat");
  assertEquals(at("C:\\py\\python.exe", {}), "C:\\py\\python.exe");
});
