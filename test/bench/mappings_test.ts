import { assert, assertEquals } from "../../deps/assert.ts";
import { HAS_PROC } from "../support/proc.ts";
import {
  type Kind,
  KINDS,
  kindsOf,
  parseMappings,
  sumKinds,
} from "./mappings.ts";
import { Peer } from "./peer.ts";

const MIB = 1024 ** 2;

Deno.test("sumKinds() tells mappings by their places, their neighbours and their names", () => {
  const smaps = [
    ["1c8567e07000-1c8567e47000 rw-p 00000000 00:00 0", 1],
    ["1c8568077000-1c8568dbf000 rwxp 00000000 00:00 0", 2],
    ["5583fc84a000-55840053e000 r-xp 02bd2000 fe:00 9    /opt/a deno", 4],
    ["55840053e000-5584007b0000 rw-p 068c6000 fe:00 9    /opt/a deno", 8],
    ["55841cbb1000-55841cf13000 rw-p 00000000 00:00 0    [heap]", 16],
    ["7f5f50000000-7f5f51e00000 rw-p 00000000 00:00 0", 32],
    ["7f5f51e00000-7f6050000000 ---p 00000000 00:00 0", 0],
    ["7f6080000000-7f6080f45000 rw-p 00000000 00:00 0", 64],
    ["7f6080f45000-7f6084000000 ---p 00000000 00:00 0", 0],
    ["7f609cfa6000-7f609ead5000 rw-p 00000000 00:00 0", 128],
    ["7f609ead5000-7f609ead6000 ---p 00000000 00:00 0", 0],
    ["7f609ead6000-7f609ecd6000 rw-p 00000000 00:00 0", 256],
  ].map(([header, kib]) => `${header}\nRss: 999 kB\nPss: ${kib} kB\n`).join("");
  const kinds = sumKinds(parseMappings(smaps));
  assertEquals(KINDS.map((kind) => kinds[kind] / 1024), [
    ...[32, 128, 16 + 64, 1, 2, 8, 4, 256],
  ]);
});

Deno.test({
  name: "kindsOf() finds WebAssembly's memory and a buffer in a real process",
  ignore: !HAS_PROC,
  async fn() {
    const code = `
      const memory = new WebAssembly.Memory({ initial: 320 }); // of 64 KiB
      const all = [new Uint8Array(memory.buffer), new Uint8Array(${30 * MIB})];
      for (const bytes of all) bytes.fill(1);
      console.log("filled");
      await Deno.stdin.readable.pipeTo(new WritableStream());
      all.pop();`;
    await using peer = new Peer([`data:text/javascript,${encodeURI(code)}`]);
    assertEquals(await peer.receive(), "filled");
    const kinds = kindsOf(peer.pid);
    const isAbout = (kind: Kind, mebibytes: number) => {
      const found = (kinds?.[kind] ?? 0) / MIB;
      assert(found >= mebibytes && found < mebibytes + 3, `${kind}: ${found}`);
    };
    isAbout("Python's memory", 20);
    isAbout("large buffers", 30);
  },
});
