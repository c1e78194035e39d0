import { parseToml } from "../../../../deps/toml.ts";
import { fields } from "../../../protocol/fields.ts";
import { toHttp, toStdio } from "./entry.ts";
import { type FilePlace, type Format, Unusable } from "./format.ts";
import { judgeEach, type StdioOrHttp } from "./judge.ts";
import { fillNothing, valueOf } from "./variables.ts";

/** Codex: tables `[mcp_servers.name]`, which name variables and hold none. */
export const codex: Format = (text, place) =>
  judgeEach(
    parseToml(text).mcp_servers,
    place.path,
    (raw) => readEntry(raw, place),
  );

type Raw = Record<string, unknown>;

function readEntry(raw: Raw, place: FilePlace): StdioOrHttp {
  const { command, args, env, env_vars: handedDown, cwd, url } = raw;
  if (command !== undefined) {
    const all = { ...handDown(handedDown, place), ...toObject(env, "env") };
    return toStdio({ command, args, cwd, env: all }, fillNothing, place);
  }
  if (url === undefined) {
    throw new Unusable("it has neither a command nor a url");
  }
  if (raw.bearer_token !== undefined) {
    throw new Unusable(
      "Codex reads no bearer_token",
      "Name a variable with bearer_token_env_var.",
    );
  }
  const { bearer_token_env_var: token } = raw;
  const headers = {
    ...toObject(raw.http_headers, "http_headers"),
    ...namedHeaders(raw.env_http_headers, place),
  };
  if (typeof token === "string") {
    headers.Authorization = `Bearer ${valueOf(token, place.env)}`;
  }
  return toHttp({ url, headers }, fillNothing);
}

/** Variables of this program that the server gets, if they are set. */
function handDown(names: unknown, { env }: FilePlace): Record<string, string> {
  if (names === undefined) return {};
  if (!Array.isArray(names)) throw new Unusable("its env_vars are not a list");
  return Object.fromEntries(names.flatMap((one) => {
    const name = typeof one === "string" ? one : fields(one).name;
    const value = typeof name === "string" ? env[name] : undefined;
    return typeof name === "string" && value !== undefined
      ? [[name, value]]
      : [];
  }));
}

/** Headers whose values are those of variables. */
function namedHeaders(
  data: unknown,
  { env }: FilePlace,
): Record<string, string> {
  const names = Object.entries(toObject(data, "env_http_headers"));
  return Object.fromEntries(
    names.map(([header, name]) => [header, valueOf(String(name), env)]),
  );
}

function toObject(data: unknown, key: string): Raw {
  const isObject = typeof data === "object" && !Array.isArray(data);
  if (data === undefined || isObject) return fields(data);
  throw new Unusable(`its ${key} is not a table`);
}
