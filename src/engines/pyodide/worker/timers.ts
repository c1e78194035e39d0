const LONGEST_MS = 2 ** 31 - 1;

/**
 * Replaces Deno's timers by timers that hand Python no object of Deno's.
 *
 * Deno's timers are Node's: a callback gets a `Timeout` as `this`, and a delay that
 * Node warns about loads Node's `process`, with everything that it leads to.
 *
 * @returns Tells how many are pending, or stops them and numbers the next ones anew.
 */
export function closeTimers(): { pending(): number; stop(): void } {
  const deno = {
    setTimeout: readLater("setTimeout"),
    setInterval: readLater("setInterval"),
    clearTimeout: readLater("clearTimeout"),
  };
  const timers = new Map<number, ReturnType<typeof setTimeout>>();
  let last = 0;

  const start = (repeat: boolean) =>
  (
    callback: (...args: unknown[]) => unknown,
    delay?: unknown,
    ...args: unknown[]
  ): number => {
    const id = ++last;
    const ring = () => {
      if (!repeat) timers.delete(id);
      callback(...args);
    };
    const set = repeat ? deno.setInterval() : deno.setTimeout();
    timers.set(id, set(ring, toDelay(delay)));
    return id;
  };
  const stop = (id?: unknown): void => {
    const timer = typeof id === "number" ? timers.get(id) : undefined;
    if (timer === undefined) return;
    timers.delete(Number(id));
    deno.clearTimeout()(timer);
  };
  const own = {
    setTimeout: start(false),
    setInterval: start(true),
    clearTimeout: stop,
    clearInterval: stop,
  };
  for (const [name, value] of Object.entries(own)) {
    const isOpen = { writable: true, configurable: true };
    Object.defineProperty(globalThis, name, { value, ...isOpen });
  }
  return {
    pending: () => timers.size,
    stop: () => {
      [...timers.keys()].forEach(stop);
      last = 0;
    },
  };
}

/** Deno loads its timers when they are first read, which takes 7 ms. */
function readLater<Name extends "setTimeout" | "setInterval" | "clearTimeout">(
  name: Name,
): () => typeof globalThis[Name] {
  const { get, value } = Object.getOwnPropertyDescriptor(globalThis, name) ??
    {};
  return get ? () => Reflect.apply(get, globalThis, []) : () => value;
}

function toDelay(delay: unknown): number {
  const ms = typeof delay === "number" ? delay : 0;
  return ms >= 1 ? Math.min(ms, LONGEST_MS) : 1;
}
