const TYPES: Record<string, string> = {
  avif: "image/avif",
  bmp: "image/bmp",
  bz2: "application/x-bzip2",
  css: "text/css",
  csv: "text/csv",
  db: "application/vnd.sqlite3",
  docx:
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  gif: "image/gif",
  gz: "application/gzip",
  html: "text/html",
  ipynb: "application/x-ipynb+json",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  jsonl: "application/jsonl",
  log: "text/plain",
  md: "text/markdown",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  parquet: "application/vnd.apache.parquet",
  pdf: "application/pdf",
  png: "image/png",
  pptx:
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  py: "text/x-python",
  sqlite: "application/vnd.sqlite3",
  svg: "image/svg+xml",
  tar: "application/x-tar",
  tif: "image/tiff",
  tiff: "image/tiff",
  toml: "application/toml",
  ts: "text/typescript",
  tsv: "text/tab-separated-values",
  txt: "text/plain",
  wav: "audio/wav",
  webp: "image/webp",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  xz: "application/x-xz",
  yaml: "application/yaml",
  yml: "application/yaml",
  zip: "application/zip",
};

export function mimeTypeOf(path: string): string {
  const [, extension = ""] = /\.([^./]+)$/.exec(path) ?? [];
  const type = extension.toLowerCase();
  return Object.hasOwn(TYPES, type) && TYPES[type] ||
    "application/octet-stream";
}

/** First bytes of the pictures that every client shows; `?` is any byte. */
const PICTURES: Record<string, string> = {
  "image/png": "\x89PNG\r\n\x1a\n",
  "image/jpeg": "\xff\xd8\xff",
  "image/gif": "GIF8",
  "image/webp": "RIFF????WEBP",
};

/** The type of a picture by its contents; undefined if it is not a picture. */
export function maybePicture(bytes: Uint8Array): string | undefined {
  return Object.keys(PICTURES).find((type) =>
    [...PICTURES[type] ?? ""].every((char, at) =>
      char === "?" || char.charCodeAt(0) === bytes[at]
    )
  );
}
