import {
  bytesOfName,
  LONGEST_NAME,
  LONGEST_PATH,
  MOST_FOLDERS,
  WORKSPACE,
} from "../../../protocol/workspace_path.ts";
import { fail } from "./os_error.ts";
import type { Place } from "./tree.ts";

/** The working folder, the folders above a file in it, and the file. */
export const MOST_NAMES = MOST_FOLDERS + 2;

/**
 * Reads a path of Python; `.` and `..` are names of it, and no link is followed.
 *
 * @throws {FileFault} If it is longer than a path may be, or empty.
 */
export function toPlace(path: string): Place {
  if (path === "") fail("ENOENT");
  if (path.length > LONGEST_PATH || bytesOfName(path) > LONGEST_PATH) {
    fail("ENAMETOOLONG");
  }
  const place: string[] = [];
  const whole = path.startsWith("/") ? path : `${WORKSPACE}/${path}`;
  for (const name of whole.split("/")) {
    if (name === "..") place.pop();
    else if (name !== "" && name !== ".") place.push(name);
  }
  const isTooLong = place.length > MOST_NAMES ||
    place.some((name) => bytesOfName(name) > LONGEST_NAME);
  return isTooLong ? fail("ENAMETOOLONG") : place;
}

export function toPath(place: Place): string {
  return `/${place.join("/")}`;
}
