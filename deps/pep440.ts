// Versions of Python projects, as pip compares them; Renovate's own. The
// resolver's packaging is the authority, but answers only while an install runs:
// the server and the launcher read a script's requires-python when no trusted
// Python runs.
export { satisfies, validRange } from "@renovatebot/pep440";
