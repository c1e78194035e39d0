import { assertEquals } from "../../deps/assert.ts";
import { dataMasksOf, masksOf } from "./masks.ts";

const FACTS = { name: "one", source: "a test" };

Deno.test("masksOf() covers values of an entry's variables, but those of every program", () => {
  const mask = masksOf({
    ...{ ...FACTS, transport: "stdio", command: "x", args: [] },
    env: { TOKEN: "s3cret", LONGER: "s3cret-2", PATH: "/bin", DEBUG: "1" },
  });
  assertEquals(
    mask("s3cret-2 and s3cret in /bin, 1 time"),
    "*** and *** in /bin, 1 time",
  );
});

Deno.test("masksOf() covers headers and the secrets of an address", () => {
  const mask = masksOf({
    ...{ ...FACTS, transport: "http" },
    url: "https://ada:pass1234@example.com/mcp/0123456789abcdef01?key=k3y-k3y",
    headers: { Authorization: "Bearer t0ken-t0ken", "X-Key": "another" },
  });
  for (
    const secret of [
      ...["pass1234", "0123456789abcdef01", "k3y-k3y", "t0ken-t0ken"],
      ...["Bearer t0ken-t0ken", "another"],
    ]
  ) assertEquals(mask(`<${secret}>`), "<***>");
  assertEquals(mask("Bearer of example.com/mcp"), "Bearer of example.com/mcp");
});

Deno.test("dataMasksOf() covers secrets in JSON, and in JSON within that, and leaves what is not secret by its name", () => {
  const secret = 'a"b\\c-0123';
  const mask = dataMasksOf({
    ...{ ...FACTS, transport: "stdio", command: "x", args: [] },
    env: {
      ...{ API_TOKEN: secret, DATA_DIR: "/srv/data-0123", KEY: "short" },
      GIT_AUTHOR_NAME: "Ada Lovelace",
    },
  });
  const said = {
    ...{ env: secret, folder: "/srv/data-0123", word: "short" },
    author: "Ada Lovelace",
  };
  const covered = JSON.stringify({ ...said, env: "***" });
  assertEquals(mask(said), { ...said, env: "***" });
  assertEquals(mask({ result: JSON.stringify(said) }), { result: covered });
});

Deno.test("dataMasksOf() covers headers", () => {
  const mask = dataMasksOf({
    ...{ ...FACTS, transport: "http", url: "https://example.com/mcp" },
    headers: { Authorization: "Bearer t0ken-t0ken" },
  });
  assertEquals(mask({ "t0ken-t0ken": ["t0ken-t0ken"] }), { "***": ["***"] });
});

Deno.test("masksOf() covers the arguments that options name as secrets", () => {
  const args = [
    ...["-y", "server", "--api-key", "k3y-k3y", "--token=t0ken=", "/srv/files"],
    ...["API_SECRET=s3cret", "--verbose"],
  ];
  const entry = { transport: "stdio", command: "npx", args, env: {} } as const;
  const mask = masksOf({ ...FACTS, ...entry });
  assertEquals(
    mask("npx server k3y-k3y t0ken= s3cret /srv/files --verbose"),
    "npx server *** *** *** /srv/files --verbose",
  );
});

Deno.test("dataMasksOf() covers secrets that arguments and variables have within them", () => {
  const texts = [
    "Authorization: Bearer s3cret-000001",
    "X-API-Key:s3cret-000002",
    "https://mcp.example/mcp?tavilyApiKey=s3cret-000003&mode=long-mode-1",
    "Server=db.example.com;User Id=somebody;Password=s3cret-000004;",
    '{"client": "some-client", "clientSecret": "s3cret-000005"}',
  ];
  const env = {
    AUTH_HEADER: "Bearer s3cret-000006",
    API_KEYS: "s3cret-000007",
    TOKEN_2: "s3cret-000008",
    SSH_PASSPHRASE: "s3cret-000009",
    HOOK_WEBHOOK_URL: "https://hooks.example/s3cret-000010",
  };
  const entry = { transport: "stdio", command: "npx" } as const;
  const variables = Object.fromEntries(
    texts.map((text, at) => [`V${at}`, text]),
  );
  for (
    const data of [{ args: texts, env }, {
      args: [],
      env: { ...env, ...variables },
    }]
  ) {
    const mask = dataMasksOf({ ...FACTS, ...entry, ...data });
    for (const text of [...texts, ...Object.values(env)]) {
      assertEquals(/s3cret/.test(mask(`said ${text}`)), false, mask(text));
    }
    const open = "mcp.example long-mode-1 db.example.com somebody some-client";
    assertEquals(mask(open), open);
  }
  const key = { args: [], env: { KEY: "a/b/c/d/e?" } };
  const mask = dataMasksOf({ ...FACTS, ...entry, ...key });
  assertEquals(mask("a%2fb%2fc%2fd%2fe%3f"), "***");
});

const PEM = `-----BEGIN KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBK
cwggSjAgEAAoIBAQC7VJTUt9Us8cKj
-----END KEY-----
`;

Deno.test("dataMasksOf() covers a secret in each form in which a program may write it", () => {
  const secret = 'p/ss w"rd+ü-012345';
  const mask = dataMasksOf({
    ...{ ...FACTS, transport: "stdio", command: "x" },
    args: ["--db", "postgres://ada:s3cr%40t-s3cr%40t@db.example/x"],
    env: {
      ...{ TOKEN: secret, PRIVATE_KEY: PEM },
      GIT_URL: "https://ghp_0123456789@git.example/a.git",
    },
  });
  const json = JSON.stringify({ a: { b: JSON.stringify([secret]) } });
  const forms = [
    ...[secret, encodeURIComponent(secret), encodeURI(secret)],
    ...[`${new URLSearchParams({ a: secret })}`, json, JSON.stringify(json)],
    json.replaceAll("s", "\\u0073").replaceAll("/", "\\/"),
    ...[JSON.stringify(secret), json, JSON.stringify(json)]
      .map((text) => `said: ${text}`),
    `said: ${JSON.stringify(secret).replaceAll("/", "\\/")}`,
    `said: ${JSON.stringify(secret).replaceAll("ü", "\\u00fc")}`,
    `<b title="${secret.replaceAll('"', "&quot;")}">`,
    encodeURIComponent(encodeURIComponent(secret)),
    ...[PEM, PEM.replaceAll("\n", "\r\n"), PEM.replaceAll("\n", " ")],
    ...["s3cr@t-s3cr@t", "s3cr%40t-s3cr%40t", "ghp_0123456789"],
  ];
  for (const form of forms) {
    const said = JSON.stringify(mask({ content: [{ text: `${form}` }] }));
    for (
      const part of [
        "ss w",
        "ss%20w",
        "ss%2520w",
        "ss+w",
        "MIIEv",
        "cwgg",
        "s3cr",
        "ghp_",
      ]
    ) {
      assertEquals(said.includes(part), false, `${part} in ${said}`);
    }
  }
  const other = { text: '{"a": "b\\n"}', url: "https://git.example/a.git" };
  assertEquals(mask(other), other);
});

Deno.test("dataMasksOf() covers the parts of an address as they are written, and as they are meant", () => {
  const mask = dataMasksOf({
    ...{ ...FACTS, transport: "http", headers: {} },
    url:
      "https://ada:p%40ss-w0rd@example.com/k%2Fy-0123456789abcd?key=a%20b%2Fc-01",
  });
  for (
    const form of [
      ...["p@ss-w0rd", "p%40ss-w0rd", "k/y-0123456789abcd"],
      ...["k%2Fy-0123456789abcd", "a b/c-01", "a%20b%2Fc-01", "a+b%2Fc-01"],
    ]
  ) assertEquals(mask([form]), ["***"], form);
});

Deno.test("dataMasksOf() covers a number, and no part of an escape", () => {
  const mask = dataMasksOf({
    ...{ ...FACTS, transport: "stdio", command: "x", args: [] },
    env: { PIN_TOKEN: "12345678", DB_PASSWORD: "n-password" },
  });
  assertEquals(
    mask({ id: 12345678, other: 123456789, text: "a\n-password" }),
    { id: "***", other: "***9", text: "a\n-password" } as never,
  );
});

Deno.test("masks cover user and password of an address, which are sent as a header", () => {
  const credentials = btoa("ada:hunter2-s3cret");
  const entry = {
    ...FACTS,
    transport: "http",
    url: "https://example.com/mcp",
    headers: { Authorization: `Basic ${credentials}` },
  } as const;
  for (const mask of [masksOf(entry), dataMasksOf(entry)]) {
    assertEquals(
      mask(`hunter2-s3cret of ada, as ${credentials}`),
      "*** of ada, as ***",
    );
  }
});
