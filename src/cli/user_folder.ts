import { type CliContext, type Env, pathRules } from "./context.ts";

/** The system's folders of a user: below the home folder, or by a variable. */
const PLACES = {
  cache: {
    ...{ windows: ["AppData", "Local"], darwin: ["Library", "Caches"] },
    ...{ others: [".cache"], xdg: "XDG_CACHE_HOME" },
  },
  state: {
    windows: ["AppData", "Local"],
    darwin: ["Library", "Application Support"],
    ...{ others: [".local", "state"], xdg: "XDG_STATE_HOME" },
  },
};

/** The system's folder for files of this kind; undefined without a home folder. */
export function userFolder(
  kind: keyof typeof PLACES,
  env: Env,
  context: CliContext,
): string | undefined {
  const { isAbsolute, join } = pathRules(context);
  const place = PLACES[kind];
  const atHome = (names: string[]) =>
    context.home ? join(context.home, ...names) : undefined;
  switch (context.os) {
    case "windows":
      return env["LOCALAPPDATA"] || atHome(place.windows);
    case "darwin":
      return atHome(place.darwin);
    default: {
      // The XDG specification has a relative path ignored.
      const xdg = env[place.xdg] ?? "";
      return isAbsolute(xdg) ? xdg : atHome(place.others);
    }
  }
}
