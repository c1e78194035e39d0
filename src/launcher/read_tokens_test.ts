import { join } from "node:path";
import { assertEquals, assertThrows } from "../../deps/assert.ts";
import { tempFolder } from "../../test/support/folder.ts";
import { saying } from "../../test/support/user_error.ts";
import { sha256 } from "../disk.ts";
import {
  parseTokenLines,
  parseTokenVariable,
  readTokens,
  refuseMoved,
  toNamedTokens,
} from "./read_tokens.ts";
import { TOKEN_VARIABLE } from "../settings.ts";

const [A, B] = ["a".repeat(16), `${"b".repeat(20)}-._~+/==`];
const named = (name: string, token: string) => ({
  ...{ name, sha256: sha256(token) },
});
const ofLines = (text: string) =>
  toNamedTokens(parseTokenLines(text, '"tokens"'));
const ofVariable = (text: string) => toNamedTokens(parseTokenVariable(text));

Deno.test("parseTokenLines() reads names and tokens, and names the rest by their line", () => {
  const text = `\ufeff# ours\r\n\r\n ada@x.org\t${A} \r\n  # more\r\n${B}`;
  assertEquals(ofLines(text), [named("ada@x.org", A), named("token-5", B)]);
  assertEquals(ofLines("# none\n\n"), []);
});

Deno.test("parseTokenVariable() reads a token, or several with names", () => {
  assertEquals(ofVariable(A), [named("token-1", A)]);
  assertEquals(ofVariable(`ada:${A},grace:${B}\n`), [
    named("ada", A),
    named("grace", B),
  ]);
  assertEquals(ofVariable(""), []);
});

Deno.test("toNamedTokens() refuses a wrong token by its place, and does not show it", () => {
  const secret = "s3cret";
  const wrong = [
    ...[`ada ${secret}`, `ada ${secret.repeat(200)}`, `a!b ${A}${secret}`],
    ...[`ada "${A}${secret}"`, `ada ${A} ${secret}`, `ada\u00a0:${A}${secret}`],
    ...[`ada ${A}${secret}ü`, `ada ${A}=${secret}`, `:${A}${secret}`],
  ];
  for (const line of wrong) {
    assertThrows(
      () =>
        ofLines(`grace ${B}
${line}`),
      (error) =>
        saying('Cannot use line 2 of "tokens" as a token')(error) &&
        saying("openssl rand -hex 32")(error) && !`${error}`.includes(secret),
    );
  }
  assertThrows(() => ofVariable(`ada:${A},b:c:${B}`), saying("token 2 of"));
  assertThrows(() => ofVariable(`:${A}`), saying("its name"));
  for (const name of ["local", "stdio"]) {
    assertThrows(() => ofLines(`${name} ${A}`), saying("without tokens"));
  }
});

Deno.test("toNamedTokens() takes two tokens of a name, but no third, and no token twice", () => {
  const two = `ada ${A}\nada ${B}`;
  assertEquals(ofLines(two), [named("ada", A), named("ada", B)]);
  assertThrows(
    () => ofLines(`${two}\nada ${A}${B}`),
    saying('line 1 of "tokens" and line 2 of "tokens" have the name ada, too'),
  );
  assertThrows(
    () => ofLines(`ada ${A}\ngrace ${A}`),
    saying('line 1 of "tokens" has the token, too'),
  );
});

Deno.test("toNamedTokens() takes no token without a name for one of another's name", () => {
  const unnamed = parseTokenLines(A, '"tokens"');
  for (const text of [B, `token-1:${B}`]) {
    assertThrows(
      () => toNamedTokens([...unnamed, ...parseTokenVariable(text)]),
      saying('line 1 of "tokens" has the name token-1, too: write a name'),
    );
  }
});

Deno.test("refuseMoved() refuses a token that would get the sessions of another by its line", () => {
  const before = ofLines(`${A}\n${B}`);
  assertThrows(
    () => refuseMoved(ofLines(B), before),
    saying("the token token-2 would be token-1, whose sessions it would get"),
  );
  refuseMoved(ofLines(`token-2 ${B}`), before);
  refuseMoved(ofLines(`ada ${B}`), before);
  refuseMoved(ofLines(`${A}${B}\n${B}`), before);
});

Deno.test("readTokens() joins file and variable, and forgets the variable", async () => {
  await using folder = await tempFolder();
  const tokenFile = join(folder.path, "tokens");
  const read = () => readTokens({ tokenFile, mounts: [] });
  assertThrows(read, saying(`Cannot read "${tokenFile}" of --token-file`));
  await Deno.writeTextFile(tokenFile, "# none\n", { mode: 0o600 });
  assertThrows(read, saying("as it has none"));
  await Deno.writeTextFile(tokenFile, `ada ${A}\n`);
  Deno.env.set(TOKEN_VARIABLE, `grace:${B}`);
  assertEquals(read(), [named("ada", A), named("grace", B)]);
  assertEquals(Deno.env.get(TOKEN_VARIABLE), undefined);
  const mount = { host: folder.path, guest: "/mnt/x", isWritable: false };
  assertThrows(
    () => readTokens({ tokenFile, mounts: [mount] }),
    saying("Python could read it in the mount"),
  );
});
