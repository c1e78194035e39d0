/** Looks at this machine; undefined if the path does not exist or is closed. */
export function maybe<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
