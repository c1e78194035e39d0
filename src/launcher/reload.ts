import { unhintedMessageOf } from "../errors.ts";
import { Log } from "../protocol/log_lines.ts";
import type { HttpSettings, Reloaded } from "../protocol/server_settings.ts";
import { type Settings, toRows } from "../settings.ts";
import type { Configurations } from "./downstream/configurations.ts";
import type { LogSink } from "./log_sink.ts";
import { refuseMoved } from "./read_tokens.ts";

/** What a server of HTTP reads again at SIGHUP, beside its files of lines. */
export interface Reread {
  /** @throws {UserError} If the file is not one of tokens. */
  tokens(): HttpSettings["tokens"];
  /** @throws {UserError} If certificate and key cannot be used. */
  tls(): HttpSettings["tls"];
  /** All options, as flags, variables and files say now. */
  settings(): Promise<Settings>;
}

interface ReloadOptions {
  settings: Settings;
  http: HttpSettings;
  reread: Reread;
  log: LogSink;
  audit: LogSink | undefined;
  configurations: Pick<Configurations, "agree"> | undefined;
  /** Has the server take what is new. */
  tell(reloaded: Reloaded): void;
}

/**
 * Gives a function that reads all again that can be read again. A file that cannot be
 * used leaves its part as it was, and the log says why.
 */
export function toReload(
  { settings, http, reread, log, audit, configurations, tell }: ReloadOptions,
): () => Promise<void> {
  const lines = new Log(settings, log.write);
  const audited = new Log(
    { logLevel: "info", logFormat: "json" },
    audit?.write ?? (() => {}),
  );
  const write: Log["write"] = (level, event, facts) => {
    lines.write(level, event, facts);
    audited.write("info", event, facts);
  };
  return async () => {
    const reloaded: string[] = [];
    const attempt = <T>(option: string, act: () => T): T | undefined => {
      try {
        const value = act();
        reloaded.push(option);
        return value;
      } catch (error) {
        write("error", "reload", { option, reason: unhintedMessageOf(error) });
      }
    };
    // First, as the others are told there.
    if (settings.logFile) attempt("--log-file", log.reopen);
    if (audit) attempt("--audit", audit.reopen);
    const tokens = settings.tokenFile === undefined
      ? undefined
      : attempt("--token-file", () => {
        const tokens = reread.tokens();
        refuseMoved(tokens, http.tokens);
        return tokens;
      });
    const tls = settings.tlsCert === undefined
      ? undefined
      : attempt("--tls-cert", reread.tls);
    const servers = configurations &&
      attempt("--mcp-config", () => configurations.agree());
    const names = (of: HttpSettings["tokens"]) => of.map(({ name }) => name);
    const hashes = (of: HttpSettings["tokens"]) => of.map((one) => one.sha256);
    const [before, now] = [http.tokens, tokens ?? http.tokens];
    const missing = (
      from: HttpSettings["tokens"],
      all: HttpSettings["tokens"],
    ) => names(from.filter((one) => !hashes(all).includes(one.sha256)));
    http.tokens = now;
    tell({ ...tokens && { tokens }, ...tls && { tls } });
    const facts = {
      added: missing(now, before),
      revoked: missing(before, now),
      servers: servers ?? [],
    };
    write("info", "reload", {
      reloaded,
      ...Object.fromEntries(
        Object.entries(facts).filter(([, list]) => list.length > 0),
      ),
    });
    await nameKept().catch((error) =>
      write("error", "reload", {
        option: "--config",
        reason: unhintedMessageOf(error),
      })
    );

    /** Options that have another value now, and need a restart. */
    async function nameKept(): Promise<void> {
      const toTexts = (of: Settings) =>
        new Map(
          Object.entries(of).map((
            [key, value],
          ) => [key, JSON.stringify(value)]),
        );
      const [given, used] = [await reread.settings(), settings].map(toTexts);
      const kept = toRows().filter(([key]) =>
        given?.get(key) !== used?.get(key)
      ).map(([, { flag }]) => flag);
      if (kept.length === 0) return;
      const reason = "these options have another value now: restart to use it";
      write("warning", "reload", { kept, reason });
    }
  };
}
