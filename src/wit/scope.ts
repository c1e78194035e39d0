import type { Reader } from "./reader.ts";
import { WitError, type WitField, type WitType } from "./types.ts";

/** What an index, or the name of an export, stands for. */
export type Entity =
  | { is: "value type"; value: Value }
  | { is: "resource"; name: string }
  /** A type of functions, or a function of that type. */
  | { is: "function"; type: FunctionType }
  /** A type of instances or components, or one of that type. */
  | { is: "instance"; exports: Exports }
  | { is: "component"; exports: Exports }
  | { is: "other" };

/** A type of values, with its size and depth written out in full; or why no tool can have it. */
export type Value =
  | { type: WitType; size: number; depth: number }
  | { refused: string };

export type FunctionType =
  | { params: WitField[]; result?: WitType }
  | { refused: string };

export type Exports = ReadonlyMap<string, Named>;
export interface Named {
  space: Space;
  entity: Entity;
}

/** The index spaces of a component, those of core modules left out, by the byte of their sort. */
const SPACES = [
  ...["core", "function", "value", "type", "component", "instance"] as const,
];
export type Space = (typeof SPACES)[number];

/** Components, and types of them, in each other. */
const MOST_SCOPES = 32;

/** The index spaces of a component, or of a type of components or instances. */
export class Scope {
  readonly exports = new Map<string, Named>();
  readonly imports = new Map<string, Named>();
  readonly #spaces = new Map<Space, Entity[]>();
  readonly #outer: Scope | undefined;
  readonly #depth: number;

  constructor(outer?: Scope) {
    this.#outer = outer;
    this.#depth = outer ? outer.#depth + 1 : 1;
    if (this.#depth > MOST_SCOPES) {
      throw new WitError(
        `has components in components, deeper than ${MOST_SCOPES}`,
      );
    }
  }

  add({ space, entity }: Named): void {
    const entities = this.#spaces.get(space) ?? [];
    entities.push(entity);
    this.#spaces.set(space, entities);
  }

  addExport(name: string, named: Named, reader: Reader): void {
    if (this.exports.has(name)) throw reader.fault(`the export ${name} twice`);
    this.exports.set(name, named);
    this.add(named);
  }

  addImport(name: string, named: Named): void {
    this.imports.set(name, named);
    this.add(named);
  }

  get(space: Space, index: number, reader: Reader): Entity {
    const entity = this.#spaces.get(space)?.[index];
    if (!entity) throw reader.fault(`no ${space} ${index}`);
    return entity;
  }

  /** The entity at an index, if it is what it must be. */
  expect<Is extends Entity["is"]>(
    is: Is,
    space: Space,
    index: number,
    reader: Reader,
  ): Extract<Entity, { is: Is }> {
    const entity = this.get(space, index, reader);
    if (!isOf(entity, is)) throw reader.fault(`${space} ${index} for a ${is}`);
    return entity;
  }

  /** The scope so many scopes further out. */
  out(count: number, reader: Reader): Scope {
    if (count === 0) return this;
    if (this.#outer) return this.#outer.out(count - 1, reader);
    throw reader.fault("an alias of something outside it");
  }
}

function isOf<Is extends Entity["is"]>(
  entity: Entity,
  is: Is,
): entity is Extract<Entity, { is: Is }> {
  return entity.is === is;
}

/** Reads a sort: which index space an index is of. */
export function readSpace(reader: Reader): Space {
  const space = SPACES[reader.byte()];
  if (space === undefined) throw reader.fault("an unknown sort");
  // The sort among those of core modules.
  if (space === "core") reader.byte();
  return space;
}

/** Reads an index with its sort. */
export function readNamed(reader: Reader, scope: Scope): Named {
  const space = readSpace(reader);
  const index = reader.u32();
  return {
    space,
    entity: space === "core"
      ? { is: "other" }
      : scope.get(space, index, reader),
  };
}

/** Reads the name of an import or export. */
export function readName(reader: Reader): string {
  if (reader.byte() > 1) throw reader.fault("a name of an unknown form");
  return reader.text();
}

/** Reads an alias into the index space that it is for. */
export function readAlias(reader: Reader, scope: Scope): void {
  const space = readSpace(reader);
  const target = reader.byte();
  const index = reader.u32();
  if (target === 0) {
    const { exports } = scope.expect("instance", "instance", index, reader);
    const name = reader.text();
    const named = exports.get(name);
    if (named?.space !== space) throw reader.fault(`no ${space} ${name}`);
    scope.add(named);
  } else if (target === 1) {
    reader.text();
  } else if (target === 2) {
    const inner = reader.u32();
    const outer = scope.out(index, reader);
    if (space === "core") return;
    scope.add({ space, entity: outer.get(space, inner, reader) });
  } else throw reader.fault("an alias of an unknown form");
}
