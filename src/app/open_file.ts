/// <reference lib="dom" />
import { longText } from "../page/long_text.ts";
import { pythonPage } from "../page/python_page.ts";
import { showPicture } from "../page/picture_view.ts";
import type { GivenFile } from "../page/downloads.ts";
import type { Host } from "./host.ts";

const PICTURES: Readonly<Record<string, string>> = {
  ...{ png: "png", jpg: "jpeg", jpeg: "jpeg", gif: "gif", webp: "webp" },
};

/** A file as a reader sees it: a picture, a page in a frame of its own, or text. */
export async function openFile(
  file: GivenFile,
  host: Pick<Host, "read">,
): Promise<HTMLElement> {
  const { path, uri } = file;
  const { text, blob } = await host.read(uri);
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  const picture = PICTURES[ending];
  if (blob !== undefined && picture) {
    return showPicture(`data:image/${picture};base64,${blob}`, path);
  }
  if (text === undefined) {
    throw new Error("The file is neither text nor a picture: save it.");
  }
  if (ending === "svg") {
    return showPicture(
      `data:image/svg+xml,${encodeURIComponent(text.toWellFormed())}`,
      path,
    );
  }
  if (/^html?$/.test(ending)) {
    const page = { ...file, title: path };
    const given = { read: () => Promise.resolve({ text }) };
    return pythonPage(given, page, { isInApp: true });
  }
  return longText(text, { className: "long", tabIndex: 0 });
}
