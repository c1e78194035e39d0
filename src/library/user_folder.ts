import { posix, win32 } from "node:path";

/** The system's folder for a user's files of this kind; undefined without a home folder. */
export function userFolder(
  kind: "cache" | "state",
  env: Readonly<Record<string, string | undefined>>,
  { os, home }: { os: string; home: string | undefined },
): string | undefined {
  const { isAbsolute, join } = os === "windows" ? win32 : posix;
  const isCache = kind === "cache";
  const atHome = (folder: string) => home ? join(home, folder) : undefined;
  switch (os) {
    case "windows":
      return env["LOCALAPPDATA"] || atHome("AppData/Local");
    case "darwin":
      return atHome(`Library/${isCache ? "Caches" : "Application Support"}`);
    default: {
      // The XDG specification has a relative path ignored.
      const xdg = env[isCache ? "XDG_CACHE_HOME" : "XDG_STATE_HOME"] ?? "";
      if (isAbsolute(xdg)) return xdg;
      return atHome(isCache ? ".cache" : ".local/state");
    }
  }
}
