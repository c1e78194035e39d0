import { assertEquals } from "../../deps/assert.ts";
import {
  bytesOf,
  type Display,
  DisplayTally,
  parseDisplay,
} from "./displays.ts";

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const png = (more = 0) =>
  new Uint8Array([...PNG, ...new Array(more).fill(0)]).toBase64();
const JPEG = new Uint8Array([0xff, 0xd8, 0xff, 0xe0]).toBase64();

Deno.test("parseDisplay() reads pictures that are what they say", () => {
  for (
    const [mimeType, data] of [
      ["image/png", png()],
      ["image/png", png(1)],
      ["image/jpeg", JPEG],
      ["image/svg+xml", "<svg/>"],
      ["image/gif", btoa("GIF89a")],
      ["image/webp", btoa("RIFF\xff\n\0\0WEBPVP8 ")],
      ["audio/wav", btoa("RIFF\xff\n\0\0WAVEfmt ")],
      ["audio/mpeg", btoa("ID3\x04")],
      ["audio/mpeg", btoa("\xff\xfb\x90")],
      ["audio/ogg", btoa("OggS\0")],
      ["audio/flac", btoa("fLaC\0")],
      ["image/svg+xml", ""],
    ]
  ) {
    const parsed: unknown = parseDisplay({ mimeType, data, more: 1 });
    assertEquals(parsed, { type: "display", mimeType, data });
  }
});

Deno.test("parseDisplay() refuses lies", () => {
  const lies: [unknown, unknown][] = [
    ["image/png", JPEG],
    ["image/jpeg", png()],
    ["image/gif", png()],
    ["image/webp", btoa("RIFF\0\0\0\0WAVE")],
    ["audio/wav", btoa("RIFF\0\0\0\0WEBP")],
    ["audio/wav", btoa("RIFF")],
    ["audio/mpeg", JPEG],
    ["audio/mp4", btoa("ID3")],
    ["text/html", "<p>"],
    [["image/png"], png()],
    [undefined, png()],
    ["toString", png()],
    ["image/png", ""],
    ["image/png", "%"],
    ["image/png", `${png(1).slice(0, -2)}`],
    ["image/png", `${png()}\n`],
    ["image/png", `${png(1).slice(0, -4)}-_-_`],
    ["image/png", ` ${png(1)}`],
    ["image/png", png(3).slice(0, -1)],
    ["image/png", png(2).replace(/A==$/, "B==")],
    ["image/png", [png()]],
    ["image/png", { length: 4 }],
    ["image/png", null],
    ["image/svg+xml", "\ud800"],
    ["image/svg+xml", 5],
    ["image/svg+xml", "x".repeat(2 ** 24 + 1)],
  ];
  for (const [mimeType, data] of lies) {
    const shown = `${mimeType} ${String(data).slice(0, 50)}`;
    assertEquals(parseDisplay({ mimeType, data }), undefined, shown);
  }
});

const PAGE = { mimeType: "text/html", data: "<p>é\n\t", title: "", about: "a" };

Deno.test("parseDisplay() reads pages with lines about them", () => {
  for (
    const more of [
      {},
      { data: "" },
      { title: "é 😀", about: "" },
      { title: "x".repeat(200), about: "x".repeat(500) },
    ]
  ) {
    const page = { ...PAGE, ...more };
    const parsed: unknown = parseDisplay({ ...page, more: 1 });
    assertEquals(parsed, { type: "display", ...page });
  }
});

Deno.test("parseDisplay() refuses pages that are not text, or have more than a line about them", () => {
  for (
    const more of [
      { data: "\ud800" },
      { data: "a\0b" },
      { data: "\x1b[31m" },
      { data: "\x0b" },
      { data: ["<p>"] },
      { data: "x".repeat(2 ** 24 + 1) },
      { title: undefined },
      { title: ["a"] },
      { title: "x".repeat(201) },
      { title: "\udc00" },
      { title: "a\nb" },
      { about: undefined },
      { about: 5 },
      { about: "x".repeat(501) },
      { about: "a\u2028b" },
      { about: "\x85" },
      { about: "\x1b[2J" },
    ]
  ) {
    const shown = JSON.stringify(more).slice(0, 50);
    assertEquals(parseDisplay({ ...PAGE, ...more }), undefined, shown);
  }
});

Deno.test("bytesOf() is what a file has, or a text on its way", () => {
  for (const more of [0, 1, 2, 3]) {
    assertEquals(bytesOf({ mimeType: "image/png", data: png(more) }), 8 + more);
  }
  assertEquals(bytesOf({ mimeType: "image/svg+xml", data: 'é"\u0001' }), 12);
  assertEquals(bytesOf({ mimeType: "text/html", data: 'é"' }), 3);
});

Deno.test("DisplayTally bounds how many, how large each, and how large all", () => {
  const show = (more: number): Display => ({
    type: "display",
    mimeType: "image/png",
    data: png(more),
  });
  const tally = new DisplayTally({ count: 3, size: 10, total: 25 });
  const taken = [3, 2, 1, 1, 0, 0].map((more) => tally.take(show(more)));
  assertEquals(taken, [false, true, true, false, false, false]);
  const few = new DisplayTally({ count: 1, size: 10, total: 100 });
  assertEquals([few.take(show(0)), few.take(show(0))], [true, false]);
});
