/// <reference lib="dom" />
import type { GivenFile } from "./downloads.ts";
import { element, formatBytes, note } from "./elements.ts";
import { longText } from "./long_text.ts";
import { type Fields, fieldsOf, listOf, type McpClient } from "./mcp_client.ts";
import { showPicture } from "./picture_view.ts";
import { pythonPage } from "./python_page.ts";
import { noteWithLinks, resourceLink } from "./resource_link.ts";
import { showValue } from "./value.ts";
import { maybeWholeUri, readWhole } from "./whole_value.ts";

/** Bytes of a file that a reader opens; a larger one can be saved. */
const MOST_OPENED = 4 * 2 ** 20;
const PICTURES = ["png", "jpeg", "svg+xml", "gif", "webp"];

export interface ResultsOptions {
  mcp: Pick<McpClient, "read">;
  /** Moves the editor to a line of the code. */
  goTo(line: number): void;
  /** Shows a file to a reader; absent where a file is only saved. */
  open?: (file: GivenFile) => Promise<HTMLElement>;
  /** See `pythonPage()`. */
  isInApp?: boolean;
  /** Has Python write all rows of a table that was cut; absent if it cannot. */
  writeAll?: (() => void) | undefined;
}

/** Fills a place with all that an answer has but its output, long values last. */
export async function showResults(
  place: HTMLElement,
  answer: Fields,
  options: ResultsOptions,
): Promise<void> {
  const { mcp, writeAll } = options;
  const content = listOf(answer.content);
  const result = resultOf(answer);
  const { error, return_value: value, files } = result;
  const truncated = fieldsOf(result.truncated);
  if (error !== undefined) place.append(errorSection(result, options));
  for (const [at, src] of content.flatMap(maybePicture).entries()) {
    const alt = `Picture ${at + 1} of the run`;
    place.append(section("Picture", showPicture(src, alt)));
  }
  for (const { type, mimeType, data } of content) {
    if (type !== "audio" || !/^audio\/\w+$/.test(String(mimeType))) continue;
    const src = `data:${mimeType};base64,${data}`;
    place.append(section("Audio", element("audio", { controls: true, src })));
  }
  for (const page of listOf(result.pages)) {
    place.append(section("Page", pythonPage(mcp, page, options)));
  }
  const uri = error === undefined ? maybeWholeUri(answer) : undefined;
  const hasValue = value !== undefined && value !== null;
  const shown = uri === undefined && hasValue
    ? showValue(value, writeAll)
    : undefined;
  if (shown && !shown.isLong) place.append(section("Value", shown.element));
  const total = Number(truncated.files ?? 0);
  showFiles(place, { ...options, files: listOf(files), total });
  const isValueAlone = uri !== undefined && truncated.output === undefined;
  if (truncated.note !== undefined && !isValueAlone) {
    place.append(noteWithLinks(mcp, String(truncated.note)));
  }
  if (shown?.isLong) place.append(section("Value", shown.element));
  if (uri !== undefined) place.append(await wholeSection(uri, value, options));
}

/** A value of which the answer has a part, read whole if it is still there. */
async function wholeSection(
  uri: string,
  part: unknown,
  { mcp, writeAll }: ResultsOptions,
): Promise<HTMLElement> {
  try {
    const whole = await readWhole(mcp, uri);
    const made = section("Value", showValue(whole, writeAll).element);
    const path = uri.slice(uri.lastIndexOf("/") + 1);
    made.append(resourceLink(mcp, { path, uri }, uri));
    return made;
  } catch (error) {
    const made = section("Value", showValue(part).element);
    made.append(note(`A part of the value: ${Object(error).message}`));
    return made;
  }
}

/** The structured result; a server may be started without these, or be another. */
export function resultOf(answer: Fields): Fields {
  const given = fieldsOf(answer.structuredContent);
  if (typeof given.status === "string") return given;
  const [{ text } = {}] = listOf(answer.content);
  // The code's own text has no such tags: the server escapes them.
  const [, session] = /<session>\n(.+)\n<\/session>/.exec(String(text)) ?? [];
  return {
    status: answer.isError ? "failed" : "success",
    [answer.isError ? "error" : "return_value"]: text,
    session,
  };
}

export function toWords(status: string): string {
  const text = status.replaceAll("-", " ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

export function section(title: string, shown: HTMLElement): HTMLElement {
  return element("section", {}, element("h4", {}, title), shown);
}

/** An error, with a way to its line. */
export function errorSection(
  { status, error }: Fields,
  { goTo }: Pick<ResultsOptions, "goTo">,
): HTMLElement {
  const text = String(error);
  const made = section(toWords(String(status)), longText(text));
  made.classList.add("error");
  const line = maybeLine(text);
  if (line !== undefined) {
    made.append(element("button", {
      className: "plain",
      type: "button",
      textContent: `Go to line ${line}`,
      onclick: () => goTo(line),
    }));
  }
  return made;
}

/** A frame begins a line, after the marks of a group; words of an error may have its form. */
const FRAME = /^[ |+-]*File "(main\.py|call \d+)", line (\d{1,9})\b/gm;

/** The line of the code that an error names; undefined if it names none. */
export function maybeLine(error: string): number | undefined {
  // A call's own frame comes before those of functions of earlier calls.
  const frames = [...error.matchAll(FRAME)];
  const line = frames.findLast(([, file]) => file === frames[0]?.[1])?.[2];
  return line === undefined ? undefined : Number(line);
}

function showFiles(
  place: HTMLElement,
  { files, total, mcp, open }: Pick<ResultsOptions, "mcp" | "open"> & {
    files: Fields[];
    total: number;
  },
): void {
  if (files.length === 0) return;
  const opened = element("div");
  const items = files.map(({ path, size, uri }) => {
    const label = `${path} · ${formatBytes(Number(size))}`;
    if (uri === undefined) {
      const title = "The file was too large to keep.";
      return element("li", { className: "quiet", title }, label);
    }
    const file = { path: `${path}`, size: Number(size), uri: `${uri}` };
    const link = resourceLink(mcp, file, label);
    const opener = open && file.size <= MOST_OPENED
      ? [openButton(file, { open, place: opened })]
      : [];
    return element("li", {}, link, ...opener);
  });
  const list = element("ul", { className: "row downloads" }, ...items);
  const made = section("Files", list);
  const more = total - files.length;
  if (more > 0) made.append(note(`and ${more} more files`));
  made.append(opened);
  place.append(made);
}

/** A button that shows a file below the list, in the place of another. */
function openButton(
  file: GivenFile,
  { open, place }: {
    open(file: GivenFile): Promise<HTMLElement>;
    place: HTMLElement;
  },
): HTMLElement {
  return element("button", {
    className: "plain",
    type: "button",
    textContent: "Open",
    ariaLabel: `Open ${file.path}`,
    onclick: async () => {
      try {
        place.replaceChildren(await open(file));
      } catch (error) {
        place.replaceChildren(note(Object(error).message));
      }
    },
  });
}

/**
 * A picture as an address for `<img>`, where an SVG runs no script and loads
 * nothing. Unlike a blob's, the address is of no origin if a person opens it.
 */
function maybePicture({ type, mimeType, data, resource }: Fields): string[] {
  const { mimeType: inner, text } = fieldsOf(resource);
  if (type === "resource" && inner === "image/svg+xml") {
    return [`data:${inner},${encodeURIComponent(String(text).toWellFormed())}`];
  }
  const isPicture = type === "image" &&
    PICTURES.some((kind) => mimeType === `image/${kind}`);
  return isPicture ? [`data:${mimeType};base64,${data}`] : [];
}
