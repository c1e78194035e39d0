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
  assertEquals(mask(JSON.stringify(said)), covered);
  assertEquals(
    mask(JSON.stringify({ result: JSON.stringify(said) })),
    JSON.stringify({ result: covered }),
  );
});

Deno.test("dataMasksOf() covers headers", () => {
  const mask = dataMasksOf({
    ...{ ...FACTS, transport: "http", url: "https://example.com/mcp" },
    headers: { Authorization: "Bearer t0ken-t0ken" },
  });
  assertEquals(mask('{"a":"t0ken-t0ken"}'), '{"a":"***"}');
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
