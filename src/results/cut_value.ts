import type { Json } from "../protocol/run_result.ts";
import { count, cutText } from "./cut.ts";

/** Characters that a note in the place of something takes at most. */
const NOTE = 80;

/** Characters of an item whose length is not counted again. */
const LONG = 1000;

/** The last item of a list or an object of which Python sent the head alone. */
const MORE = /^<([\d,]{1,20}) more>$/;
const ITS_KEY = /^(<cut>.{0,9})?$/;

type Lengths = (value: Json) => number;
type Item = { key: string; value: Json; frame: number; size: number };

/**
 * Cuts a value to so many characters of text. A list or an object keeps whole
 * items of its head and tail, or of its head if its tail is not there; an item
 * is cut itself only if it takes more than half of the room.
 */
export function cutValue(value: Json, room: number): Json {
  if (typeof value === "string") return cutText(value, room).text;
  return cutItems(value, room, measure());
}

/** Cuts a value that is longer than the room, each character of it as JSON. */
function cut(value: Json, room: number, lengthOf: Lengths): Json {
  if (typeof value !== "string") return cutItems(value, room, lengthOf);
  const characters = (room - NOTE) * value.length / lengthOf(value);
  return cutText(value, Math.max(0, Math.floor(characters))).text;
}

function cutItems(whole: Json, room: number, lengthOf: Lengths): Json {
  if (typeof whole !== "object" || whole === null) return whole;
  const isList = Array.isArray(whole);
  const items = isList
    ? whole.map((value) => toItem("", value, 2))
    : Object.entries(whole)
      .map(([key, value]) => toItem(key, value, lengthOf(key) + 4));
  const left = room - NOTE;
  const largest = items.reduce((most, { size }) => Math.max(most, size), 0);
  const others = items.reduce((sum, { size }) => sum + size, -largest);
  if (others + largest + 2 <= room) return whole;
  const more = takeMore(items);
  // An item may take half of the room, and more if the others leave it.
  const most = Math.max(left / 2, left - others);
  const roomOf = ({ frame }: Item) => Math.max(most - frame, NOTE);
  const [start, end] = fromEnds(
    items.map((item) => Math.min(item.size, item.frame + roomOf(item))),
    left,
    more === undefined,
  );
  const fit = (item: Item): [string, Json] => {
    const { key, value, frame, size } = item;
    const room = roomOf(item);
    return [key, size - frame <= room ? value : cut(value, room, lengthOf)];
  };
  const [missing, total] = [count(end - start), count(items.length)];
  const note: [string, Json] = more
    ? [more.key, `<${count(more.count + end - start)} more>`]
    : isList
    ? ["", `… ${missing} of ${total} items left out …`]
    : [newKey(whole), `${missing} of ${total} members left out`];
  const kept = [
    ...items.slice(0, start).map(fit),
    ...more || start < end ? [note] : [],
    ...items.slice(end).map(fit),
  ];
  return isList ? kept.map(([, value]) => value) : Object.fromEntries(kept);

  function toItem(key: string, value: Json, frame: number): Item {
    return { key, value, frame, size: frame + lengthOf(value) };
  }
}

/** Takes the item that counts those which Python did not send, if there is one. */
export function takeMore(
  items: Pick<Item, "key" | "value">[],
): { key: string; count: number } | undefined {
  const last = items.at(-1);
  const found = typeof last?.value === "string" && MORE.exec(last.value);
  if (!last || !found || !ITS_KEY.test(last.key)) return undefined;
  items.pop();
  return { key: last.key, count: Number(found[1]?.replaceAll(",", "")) };
}

/**
 * Fills the room from both ends in turn, or from the head; gives the borders of
 * the rest.
 */
function fromEnds(costs: readonly number[], room: number, hasTail: boolean) {
  let [start, end] = [0, costs.length];
  let [head, tail] = [0, 0];
  while (start < end) {
    const first = costs[start] ?? 0;
    const last = hasTail ? costs[end - 1] ?? 0 : Infinity;
    const fits = (cost: number) => head + tail + cost <= room;
    if (fits(first) && (head <= tail || !fits(last))) {
      head += first;
      start++;
    } else if (fits(last)) {
      tail += last;
      end--;
    } else break;
  }
  return [start, end] as const;
}

/** Gives a function for lengths of JSON text, which reads no long item twice. */
function measure(): Lengths {
  const known = new Map<Json, number>();
  return function lengthOf(value): number {
    if (typeof value === "string") return JSON.stringify(value).length;
    if (typeof value !== "object" || value === null) return `${value}`.length;
    const before = known.get(value);
    if (before !== undefined) return before;
    let length = 2;
    if (Array.isArray(value)) {
      for (const item of value) length += lengthOf(item) + 1;
    } else {
      for (const key in value) {
        length += lengthOf(key) + lengthOf(value[key] ?? null) + 2;
      }
    }
    if (length > LONG) known.set(value, length);
    return length;
  };
}

function newKey(object: object): string {
  let key = "…";
  while (Object.hasOwn(object, key)) key += "…";
  return key;
}
