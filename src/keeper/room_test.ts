import { assertEquals, assertThrows } from "../../deps/assert.ts";
import {
  type Place,
  sessionBounds,
  type Space,
} from "../protocol/keeper_messages.ts";
import { findRoom, FullError, type ValueFile } from "./room.ts";
import { nameOf, ownerName } from "./value_file.ts";

const few = { bytes: 100, values: 2 };
const BOUNDS = {
  spaces: { tools: few, memory: few, artifacts: few, catalog: few },
  ...{ ownerBytes: 300, totalBytes: 500, totalValues: 6 },
};

const place = (space: Space, key: string, owner = "ada"): Place => ({
  ...{ space, owner, key },
});

function file(at: Place, bytes: number, used = 0): ValueFile {
  const owner = ownerName(at.owner);
  return { name: nameOf(at), owner, space: at.space, bytes, used };
}

const find = (at: Place, bytes: number, files: ValueFile[]) =>
  findRoom(at, bytes, files, BOUNDS);

Deno.test("findRoom() counts a value that is replaced once", () => {
  const files = ["a", "b"].map((key) => file(place("memory", key), 100));
  assertEquals(find(place("memory", "a"), 200, files), []);
  assertThrows(
    () => find(place("memory", "a"), 201, files),
    (error) => error instanceof FullError && /300 bytes/.test(error.message),
  );
  assertThrows(
    () => find(place("memory", "c"), 1, files),
    /there are 2 memories, and may be 2: delete_memory\(key\)/,
  );
  assertEquals(find(place("tools", "c"), 1, files), []);
  assertEquals(find(place("memory", "c", "eve"), 1, files), []);
});

Deno.test("findRoom() has the oldest of the catalog make room, and nothing else", () => {
  const cached = (key: string) => place("catalog", key, "");
  const files = [
    file(cached("newer"), 100, 2),
    file(cached("older"), 100, 1),
    file(place("memory", "a"), 200),
  ];
  assertEquals(find(cached("third"), 100, files), [nameOf(cached("older"))]);
  assertEquals(find(place("memory", "b", "eve"), 200, files), [
    nameOf(cached("older")),
  ]);
  assertEquals(find(place("memory", "b", "eve"), 300, files), [
    ...[nameOf(cached("older")), nameOf(cached("newer"))],
  ]);
  const full = [...files, file(place("memory", "a", "eve"), 250)];
  assertThrows(
    () => find(place("memory", "b", "bob"), 100, full),
    /the folder of --state-dir may hold 6 values and 500 bytes/,
  );
});

Deno.test("findRoom() has the oldest session of the owner that stores most make room", () => {
  const bounds = sessionBounds(500, 500);
  const session = (key: string, owner: string) => place("sessions", key, owner);
  const files = [
    file(session("a", "eve"), 50, 1),
    file(session("b", "ada"), 100, 2),
    file(session("c", "ada"), 250, 3),
  ];
  const dropped = (owner: string, bytes: number) =>
    findRoom(session("d", owner), bytes, files, bounds);
  assertEquals(dropped("bob", 150), [files[1]?.name]);
  assertEquals(dropped("ada", 300), [files[1]?.name, files[2]?.name]);
  assertEquals(dropped("eve", 450), [
    ...[files[0]?.name, files[1]?.name, files[2]?.name],
  ]);
});

Deno.test("findRoom() has the least recently used sessions make room, and no draft", () => {
  const bounds = sessionBounds(500, 500);
  const session = (key: string) => place("sessions", key);
  const files = [
    file(session("a"), 200, 3),
    file(session("b"), 200, 1),
    file(place("sessions", "c", "eve"), 100, 2),
  ];
  const dropped = (bytes: number, more: ValueFile[] = []) =>
    findRoom(session("d"), bytes, [...files, ...more], bounds);
  assertEquals(dropped(100), [nameOf(session("b"))]);
  assertEquals(dropped(300), [files[1]?.name, files[0]?.name]);
  assertEquals(dropped(500).length, 3);
  const refused = (error: unknown) =>
    error instanceof FullError &&
    /stored .*--max-stored-se/.test(error.message);
  assertThrows(() => dropped(501), refused);
  const draft = { ...file(session("e"), 200), isDraft: true };
  assertEquals(dropped(300, [draft]).length, 3);
  assertThrows(() => dropped(301, [draft]), refused);
  assertEquals(findRoom(session("b"), 300, files, bounds), [files[0]?.name]);
});
