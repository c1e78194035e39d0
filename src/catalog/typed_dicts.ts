import { freeNames } from "./identifiers.ts";
import { type Field, renderTypedDict } from "./typed_dict.ts";

/** Characters of all classes of a stub. */
const LONGEST = 12_000;

/** The `TypedDict` classes of a stub. */
export class TypedDicts {
  #sources: string[] = [];
  #names = new Map<string, string>();
  #open = new Set<string>();
  #mentioned = new Set<string>();
  #left = LONGEST;
  #toFree = freeNames(NAMES_OF_STUBS);

  /** The source of each, behind those that it names. */
  get sources(): readonly string[] {
    return this.#sources;
  }

  /** Gives the type back: a class within itself keeps its name. */
  mention(type: string): string {
    if (this.#open.has(type)) this.#mentioned.add(type);
    return type;
  }

  /**
   * Adds a class, if there is room; classes of the same fields are one.
   *
   * @param name Any text.
   * @param fieldsOf Told the name that it gets.
   */
  maybeAdd(
    name: string,
    fieldsOf: (name: string) => Field[],
  ): string | undefined {
    if (this.#left <= 0) return undefined;
    const free = this.#toFree(toClassName(name));
    this.#open.add(free);
    const fields = fieldsOf(free);
    this.#open.delete(free);
    const body = JSON.stringify(fields);
    const same = this.#names.get(body);
    if (same !== undefined && !this.#mentioned.has(free)) return same;
    const source = renderTypedDict(free, fields, this.#open);
    this.#left -= source.length;
    this.#names.set(body, free);
    this.#sources.push(source);
    return free;
  }
}

/** Names that stubs use themselves. */
const NAMES_OF_STUBS = [
  ...["Any", "Literal", "NotRequired", "Result", "TypedDict"],
  ...["False", "None", "True"],
];

function toClassName(name: string): string {
  const words = name.slice(0, 60).split(/[^A-Za-z0-9]+/);
  const joined = words.map((word) =>
    word.charAt(0).toUpperCase() + word.slice(1)
  ).join("");
  return /^[A-Z]/.test(joined) ? joined : `T${joined}`;
}
