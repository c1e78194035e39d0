import { posix, win32 } from "node:path";

/** The system's folders of a user: below the home folder, or by a variable. */
const PLACES = {
  cache: {
    windows: ["AppData", "Local"],
    darwin: ["Library", "Caches"],
    others: [".cache"],
    xdg: "XDG_CACHE_HOME",
  },
  state: {
    windows: ["AppData", "Local"],
    darwin: ["Library", "Application Support"],
    others: [".local", "state"],
    xdg: "XDG_STATE_HOME",
  },
};

/** The system's folder for files of this kind; undefined without a home folder. */
export function userFolder(
  kind: keyof typeof PLACES,
  env: Readonly<Record<string, string | undefined>>,
  { os, home }: { os: string; home: string | undefined },
): string | undefined {
  const { isAbsolute, join } = os === "windows" ? win32 : posix;
  const place = PLACES[kind];
  const atHome = (names: string[]) => home ? join(home, ...names) : undefined;
  switch (os) {
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
