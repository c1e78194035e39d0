import { assertEquals } from "../../deps/assert.ts";
import {
  maskRequirement,
  parseNetrc,
  withoutCredentials,
} from "./credentials.ts";

const basic = (text: string) =>
  `Basic ${new TextEncoder().encode(text).toBase64()}`;

/** By address: the address without its credentials, their host, and the credentials. */
const ADDRESSES: Record<string, [url: string, host: string, told: string]> = {
  "https://ada:pw@h.example/x": ["https://h.example/x", "h.example", "ada:pw"],
  "https://token@h.example:8443/": [
    ...["https://h.example:8443/", "h.example:8443", "token:"] as const,
  ],
  "https://:pw@h.example/": ["https://h.example/", "h.example", ":pw"],
  "https://a%40b:p%2Fw%3A@h.example/x": [
    ...["https://h.example/x", "h.example", "a@b:p/w:"] as const,
  ],
  "https://ada:100%@h.example/": [
    ...["https://h.example/", "h.example", "ada:100%"] as const,
  ],
  "https://größe:数@h.example/": [
    ...["https://h.example/", "h.example", "größe:数"] as const,
  ],
  "HTTPS:\\\\ada:pw@h.example\\x": [
    ...["https://h.example/x", "h.example", "ada:pw"] as const,
  ],
};

Deno.test("withoutCredentials() takes name and password out of an address, for its host alone", () => {
  for (const [text, [url, host, told]] of Object.entries(ADDRESSES)) {
    const credential = { host, authorization: basic(told) };
    assertEquals(withoutCredentials(text), { url, credential }, text);
  }
  for (const text of ["https://h.example/a@b", "/a@b", "", "a:b@c"]) {
    assertEquals(withoutCredentials(text), { url: text });
  }
});

Deno.test("maskRequirement() takes credentials out of a requirement, and leaves its rest", () => {
  const behind = '/x-1-py3-none-any.whl ; python_version > "3" --hash=sha256:0';
  assertEquals(maskRequirement(`x @ https://ada:$&pw@h.example${behind}`), {
    text: `x @ https://h.example${behind}`,
    credential: { host: "h.example", authorization: basic("ada:$&pw") },
  });
  for (
    const text of [
      "x>=1",
      "x @ https://h.example/a@b/x-1-py3-none-any.whl",
      "x @ file:///a@b/x-1-py3-none-any.whl",
    ]
  ) assertEquals(maskRequirement(text), { text });
});

Deno.test("parseNetrc() reads entries of machines, each with its own name and password", () => {
  const text = String.raw`# machine commented login no password no
machine a.example login ada password pw1
machine b.example
  login "b c" account x password "p\"w \\"
machine incomplete.example login only
macdef init
machine macro.example login no password no

machine c.example password pw3 login cyd
default login anybody password anything
`;
  assertEquals(parseNetrc(text), [
    { host: "a.example", authorization: basic("ada:pw1") },
    { host: "b.example", authorization: basic(String.raw`b c:p"w \ `.trim()) },
    { host: "c.example", authorization: basic("cyd:pw3") },
  ]);
  for (const odd of ["", "machine", "login x password y", "machine a login"]) {
    assertEquals(parseNetrc(odd), []);
  }
});
