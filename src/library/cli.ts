#!/usr/bin/env node
/**
 * The command of a package: starts Deno with the program, and passes on signals
 * and the exit code.
 *
 * @module
 */
import { spawn } from "node:child_process";
import process from "node:process";
import { findDeno, toDenoArguments } from "./program.ts";

const child = spawn(
  findDeno(),
  await toDenoArguments(process.argv.slice(2)),
  { stdio: "inherit" },
);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    // Ctrl-C in a terminal reaches the child, too.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("error", (error) => {
  process.stderr.write(`error: Cannot start Deno: ${error.message}\n`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (!signal) return process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
