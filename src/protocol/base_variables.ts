/**
 * Variables that each downstream server gets from the launcher's environment; the
 * values of all others are secrets of its entry.
 */
export const BASE_VARIABLES: readonly string[] = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ", "TMPDIR"],
  ...["LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES"],
  ...["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"],
  ...["XDG_RUNTIME_DIR", "XDG_STATE_HOME"],
  // Windows writes some of them in mixed case, and reads all without regard to it.
  ...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "OS"],
  ...["USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH", "TEMP", "TMP"],
  ...["APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES"],
  ...["PROGRAMFILES(X86)", "PROCESSOR_ARCHITECTURE", "NUMBER_OF_PROCESSORS"],
];
