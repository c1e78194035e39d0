/** Compiles the interpreter, once for all instances of a process. */
export async function compile(path: string): Promise<WebAssembly.Module> {
  const { body } = new Response(await Deno.readFile(path));
  const bytes = body?.pipeThrough(new DecompressionStream("gzip"));
  return await WebAssembly.compile(await new Response(bytes).arrayBuffer());
}
