import { assert, assertEquals } from "../../../../deps/assert.ts";

const DOORS = new URL("./doors.ts", import.meta.url);
const FREEZE = new URL("../../shared/freeze.ts", import.meta.url);

/** The result of a walk through the language. */
interface Seen {
  /** Paths of all objects. */
  paths: string[];
  /** Paths of objects that are not frozen. */
  open: string[];
  /** Paths of objects that take new properties. */
  extensible: string[];
  /** Properties of these that can change, beside the three of errors. */
  changeable: string[];
}

Deno.test("freezeLanguage() freezes every class, prototype and function of the language", async () => {
  const { paths, open, extensible, changeable } = await walk();
  assert(paths.length > 900, `only ${paths.length} objects were seen`);
  for (const path of ["Map.prototype.set", "TypedArray.prototype.set"]) {
    assert(paths.includes(path), path);
  }
  assertEquals(extensible, []);
  assertEquals(changeable, []);
  // Objects that inherit these are given a name, a message or a constructor.
  assertEquals(open.sort(), [
    ...["AggregateError.prototype", "DOMException.prototype"],
    ...["Error.prototype", "EvalError.prototype", "Object.prototype"],
    ...["RangeError.prototype", "ReferenceError.prototype"],
    ...["SuppressedError.prototype", "SyntaxError.prototype"],
    ...["TypeError.prototype", "URIError.prototype"],
    ...["WebAssembly.CompileError.prototype"],
    ...["WebAssembly.LinkError.prototype"],
    ...["WebAssembly.RuntimeError.prototype"],
    ...["WebAssembly.SuspendError.prototype"],
  ]);
});

/**
 * Walks through all objects that the global scope and the language's syntax lead
 * to, in a worker with closed doors.
 */
async function walk(): Promise<Seen> {
  const code = `
    const post = postMessage;
    await import(${JSON.stringify(DOORS.href)});
    const { freezeLanguage } = await import(${JSON.stringify(FREEZE.href)});
    freezeLanguage();
    const prototypeOf = Object.getPrototypeOf;
    const sequence = function* () {};
    const stream = async function* () {};
    const paths = new Map();
    const add = (it, path) => {
      if (Object(it) === it && !paths.has(it)) paths.set(it, path);
    };
    add(Object.prototype, "Object.prototype");
    // Instances; they are not part of the language.
    const instances = ["globalThis", "self", "crypto", "performance", "location"];
    for (const name of Object.getOwnPropertyNames(globalThis)) {
      const it = globalThis[name];
      if (instances.includes(name)) add(prototypeOf(it), name + ".__proto__");
      else if (name !== "console") add(it, name); // our own
    }
    add(prototypeOf(Uint8Array), "TypedArray");
    const { get } = Object.getOwnPropertyDescriptor((function () { return arguments; })(), "callee");
    const nameless = {
      AsyncFunction: async () => {},
      GeneratorFunction: sequence,
      AsyncGeneratorFunction: stream,
      Generator: prototypeOf(sequence()),
      AsyncGenerator: prototypeOf(stream()),
      ArrayIterator: [].values(),
      MapIterator: new Map().values(),
      SetIterator: new Set().values(),
      StringIterator: ""[Symbol.iterator](),
      RegExpStringIterator: "".matchAll(/x/g),
      IteratorHelper: [].values().map(Number),
      WrappedIterator: Iterator.from({ next() {} }),
      ThrowTypeError: { __proto__: get },
    };
    // Deleted, as each worker would have to make one.
    if (Intl.Segmenter) nameless.Segments = new Intl.Segmenter().segment("");
    for (const [name, it] of Object.entries(nameless)) add(prototypeOf(it), name);
    for (const [it, path] of paths) {
      add(prototypeOf(it), path + ".__proto__");
      for (const key of Reflect.ownKeys(it)) {
        const { value, get, set } = Reflect.getOwnPropertyDescriptor(it, key);
        for (const one of [value, get, set]) add(one, path + "." + String(key));
      }
    }
    const all = [...paths];
    const open = all.filter(([it]) => !Object.isFrozen(it));
    const changeable = open.flatMap(([it, path]) =>
      Reflect.ownKeys(it).filter((key) => {
        const { writable, configurable } = Reflect.getOwnPropertyDescriptor(it, key);
        const isShadowed = ["constructor", "name", "message"].includes(key);
        return configurable || writable && !isShadowed;
      }).map((key) => path + "." + String(key)));
    post({
      paths: all.map(([, path]) => path),
      open: open.map(([, path]) => path),
      extensible: all.filter(([it]) => Object.isExtensible(it)).map(([, path]) => path),
      changeable,
    });`;
  const worker = new Worker(
    `data:text/javascript,${encodeURIComponent(code)}`,
    { type: "module" },
  );
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message));
    });
  } finally {
    worker.terminate();
  }
}
