import type { WorkerStart } from "../worker_messages.ts";

type Exports = Record<string, unknown>;
type Instantiate = (
  getCoreModule: (name: string) => WebAssembly.Module,
  imports: Record<string, unknown>,
  instantiateCore: (
    module: WebAssembly.Module,
    imports?: WebAssembly.Imports,
  ) => Promise<WebAssembly.Instance>,
) => Promise<Exports>;

const PAGE_BYTES = 65_536;

/** An instance of the component. */
export class Instance {
  constructor(
    readonly exports: Exports,
    private readonly memories: readonly WebAssembly.Memory[],
    private readonly mostPages: number,
  ) {}

  /** Whether a memory of it has grown as large as it may be, but for a small part. */
  get isFull(): boolean {
    return this.memories.some(({ buffer }) =>
      buffer.byteLength >= this.mostPages * PAGE_BYTES * 0.9
    );
  }
}

/** Gives the function that makes instances of the component. */
export async function openInstances(
  { glue, modules, mostPages }: Pick<
    WorkerStart,
    "glue" | "modules" | "mostPages"
  >,
): Promise<(imports: Record<string, unknown>) => Promise<Instance>> {
  const bytes = new TextEncoder().encode(withoutImports(glue));
  const { instantiate }: { instantiate: Instantiate } = await import(
    `data:text/javascript;base64,${bytes.toBase64()}`
  );
  return async (imports) => {
    const memories: WebAssembly.Memory[] = [];
    const exports = await instantiate(
      (name) => {
        const module = Object.hasOwn(modules, name) ? modules[name] : undefined;
        if (module) return module;
        throw new TypeError(`There is no module ${name}`);
      },
      imports,
      async (module, imports) => {
        const instance = await WebAssembly.instantiate(module, imports);
        for (const one of Object.values(instance.exports)) {
          if (one instanceof WebAssembly.Memory) memories.push(one);
        }
        return instance;
      },
    );
    return new Instance(exports, memories, mostPages);
  };
}

/**
 * JavaScript that can load no module: without any permission, a worker may import Node's
 * modules, and those of this program that it has loaded. Names and texts may have escapes,
 * and keywords may not.
 */
function withoutImports(glue: string): string {
  return glue.replaceAll("import.meta.url", "undefined")
    .replaceAll("import", "\\u0069mport").replaceAll("from", "\\u0066rom");
}
