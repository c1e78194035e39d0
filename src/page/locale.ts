/** The page's own language; a chat has that of its reader. */
let locale = "en";

/** Has numbers written as a reader does; ignores a name that no language has. */
export function setLocale(name: string): void {
  try {
    [locale = locale] = Intl.getCanonicalLocales(name);
  } catch {
    // A chat's word, which may be anything.
  }
}

export function formatCount(number: number): string {
  return number.toLocaleString(locale);
}

/** @param least Digits after the point that are always written. */
export function formatDecimal(
  number: number,
  { least = 0, most = least }: { least?: number; most?: number },
): string {
  return number.toLocaleString(locale, {
    minimumFractionDigits: least,
    maximumFractionDigits: most,
  });
}
