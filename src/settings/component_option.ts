/** A component of the user, as `--wasm` names it. */
export interface ComponentOption {
  /** Its name for clients and for Python. */
  name: string;
  /** Absolute. */
  file: string;
  /** SHA-256 that its bytes must have, in hex. */
  sha256?: string;
  /** The file of its policy: absolute; nothing is granted without one. */
  policy?: string;
}

/** A name of a component that every client takes in names of tools. */
export const COMPONENT_NAME = /^[a-z][a-z\d_-]{0,31}$/i;

const PIN = /^sha256:([\da-f]{64})$/i;

/**
 * Reads a text such as `[name=]FILE[#sha256:HASH][@POLICY]`; undefined if it is not one.
 *
 * @param toPath Makes a path absolute.
 */
export function maybeComponent(
  text: string,
  toPath: (text: string) => string,
): ComponentOption | undefined {
  const [, given, rest = ""] = /^(?:([^=/\\.@#]*)=)?(.*)$/s.exec(text) ?? [];
  // A folder may have an @, a policy has one of these endings.
  const [, before = rest, policy] =
    /^(.*?)@([^@]*\.(?:ya?ml|json))$/is.exec(rest) ?? [];
  const [file = "", pin, ...more] = before.split("#");
  const [, sha256] = PIN.exec(pin ?? "") ?? [];
  const isPinned = pin === undefined || sha256 !== undefined;
  const name = given ?? nameOf(file);
  if (file === "" || more.length > 0 || !isPinned) return undefined;
  if (!COMPONENT_NAME.test(name)) return undefined;
  return {
    name,
    file: toPath(file),
    ...(sha256 === undefined ? {} : { sha256: sha256.toLowerCase() }),
    ...(policy === undefined ? {} : { policy: toPath(policy) }),
  };
}

/** The file's name without its ending. */
function nameOf(file: string): string {
  const [, name = ""] = /([^/\\]+?)(?:\.wasm)?$/i.exec(file) ?? [];
  return name.replaceAll(/[^\w-]+/g, "_").slice(0, 32);
}
