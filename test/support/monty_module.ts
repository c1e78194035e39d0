import {
  findRuntime,
  type MontyFiles,
} from "../../src/engines/monty/runtime.ts";
import { compile } from "../../src/engines/monty/compile.ts";

let module: Promise<WebAssembly.Module> | undefined;

/** The interpreter of Monty; compiled once. */
export async function compileMonty(): Promise<WebAssembly.Module> {
  const { files } = await findRuntime();
  return await (module ??= compile((files as MontyFiles).wasm));
}
