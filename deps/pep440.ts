// Versions of Python projects, as pip compares them; Renovate's own.
export { satisfies, validRange } from "@renovatebot/pep440";
