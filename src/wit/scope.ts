import type { Reader } from "./reader.ts";
import { WitError, type WitField, type WitType } from "./types.ts";

/** What has an index in a component, and maybe a name. */
export type Entity =
  | FunctionEntity
  | { is: "component"; exports: Exports }
  | { is: "instance"; exports: Exports }
  | { is: "type"; of: Type }
  | { is: "core" | "value" };

export interface FunctionEntity {
  is: "function";
  params: WitField[];
  result?: WitType;
  /** Of all its types. */
  size: number;
  /** Why it cannot be a tool. */
  refused: string | undefined;
}

export type Exports = ReadonlyMap<string, Entity>;

/** A type of values, a resource, or the type of entities: all that an entity of it has. */
export type Type =
  | { is: "type of values"; value: Value }
  | { is: "resource"; name: string }
  | Exclude<Entity, { is: "type" }>;

/** A type of values, with its size and depth written out in full. */
export interface Value {
  type: WitType;
  size: number;
  depth: number;
  /** Why no tool can have it. */
  refused: string | undefined;
}

/** By the byte of each sort. All sorts of core modules have the first one. */
const SORTS = [
  ...["core", "function", "value", "type", "component", "instance"] as const,
];
export type Sort = (typeof SORTS)[number];

/** Components, and types of them, in each other. */
const MOST_SCOPES = 32;

/** The entities of a component, or of a type of components or instances, by sort. */
export class Scope {
  readonly exports = new Map<string, Entity>();
  readonly imports = new Map<string, Entity>();
  /** Sections with doc comments, also of core modules. */
  readonly docs: Uint8Array[] = [];
  readonly #entities = new Map<Sort, Entity[]>();
  readonly #depth: number;

  constructor(readonly reader: Reader, readonly outer?: Scope) {
    this.#depth = outer ? outer.#depth + 1 : 1;
    if (this.#depth > MOST_SCOPES) {
      throw new WitError(
        `has components in components, deeper than ${MOST_SCOPES}`,
      );
    }
  }

  add(entity: Entity): void {
    const entities = this.#entities.get(entity.is) ?? [];
    entities.push(entity);
    this.#entities.set(entity.is, entities);
  }

  addNamed(as: "import" | "export", name: string, entity: Entity): void {
    const names = as === "import" ? this.imports : this.exports;
    if (names.has(name)) throw this.reader.fault(`the ${as} ${name} twice`);
    const isResource = entity.is === "type" && entity.of.is === "resource";
    const named: Entity = isResource
      ? { is: "type", of: { is: "resource", name } }
      : entity;
    names.set(name, named);
    this.add(named);
  }

  /** The entity of an index. */
  get<S extends Sort>(sort: S, index: number): Extract<Entity, { is: S }> {
    const entity = this.#entities.get(sort)?.[index];
    if (!entity) throw this.reader.fault(`no ${sort} ${index}`);
    return entity as Extract<Entity, { is: S }>;
  }

  /** The type of an index, which must be of this kind. */
  typeAt<Is extends Type["is"]>(
    index: number,
    is: Is,
  ): Extract<Type, { is: Is }> {
    const { of } = this.get("type", index);
    if (of.is !== is) throw this.reader.fault(`type ${index} for a ${is}`);
    return of as Extract<Type, { is: Is }>;
  }

  /** Reads a sort. */
  readSort(): Sort {
    const sort = SORTS[this.reader.byte()];
    if (sort === undefined) throw this.reader.fault("an unknown sort");
    // The sort among those of core modules.
    if (sort === "core") this.reader.byte();
    return sort;
  }
}
