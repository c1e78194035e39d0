import { assertEquals } from "../../deps/assert.ts";
import { maybeComponent } from "./component_option.ts";

const HASH = "0a".repeat(32);
const toPath = (text: string) => `/w/${text}`;

const READ: [text: string, component: object][] = [
  ["calc.wasm", { name: "calc", file: "/w/calc.wasm" }],
  ["a/b c.d.wasm", { name: "b_c_d", file: "/w/a/b c.d.wasm" }],
  ["sum=calc.wasm", { name: "sum", file: "/w/calc.wasm" }],
  [
    "calc.wasm@p.yaml",
    { name: "calc", file: "/w/calc.wasm", policy: "/w/p.yaml" },
  ],
  [
    `c=x.wasm#sha256:${HASH.toUpperCase()}@p/q.yml`,
    { name: "c", file: "/w/x.wasm", sha256: HASH, policy: "/w/p/q.yml" },
  ],
  ["a@b/calc.wasm", { name: "calc", file: "/w/a@b/calc.wasm" }],
  ["c=a=b.wasm", { name: "c", file: "/w/a=b.wasm" }],
];

Deno.test("maybeComponent() reads name, file, hash and policy", () => {
  for (const [text, expected] of READ) {
    assertEquals(maybeComponent(text, toPath), { ...expected } as object, text);
  }
});

Deno.test("maybeComponent() refuses what is not a component, or has a name that clients refuse", () => {
  const wrong = [
    ...["", "=x.wasm", "1=x.wasm", "a b=x.wasm", "ä=x.wasm", "@p.yaml"],
    ...["x.wasm#", "x.wasm#sha256:12", `x.wasm#md5:${HASH}`],
    ...[`x.wasm#sha256:${HASH}#sha256:${HASH}`, `${"n".repeat(33)}=x.wasm`],
  ];
  for (const text of wrong) {
    assertEquals(maybeComponent(text, toPath), undefined, text);
  }
});
