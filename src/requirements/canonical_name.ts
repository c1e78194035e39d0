/** The form in which indexes know a project's name (PEP 503). */
export function canonicalName(name: string): string {
  return name.replace(/[-_.]+/g, "-").toLowerCase();
}
