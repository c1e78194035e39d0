import { NPM_PYODIDE } from "../../src/engines/pyodide/runtime.ts";

/** One line on what the figures were measured with. */
export function describeMachine(): string {
  const { total } = Deno.systemMemoryInfo();
  const [kernel] = Deno.osRelease().split("-");
  return [
    `${navigator.hardwareConcurrency} cores`,
    `${(total / 1024 ** 3).toFixed(1)} GiB`,
    `${Deno.build.os} ${kernel} ${Deno.build.arch}`,
    `Deno ${Deno.version.deno}`,
    `Pyodide ${NPM_PYODIDE.version}`,
    new Date().toISOString().slice(0, 10),
  ].join(", ");
}
