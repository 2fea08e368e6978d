/** The built pages: files of one folder of the package, read once. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeDisk } from "../../disk.ts";

export interface PageFile {
  name: string;
  type: string;
  bytes: Buffer;
  etag: string;
}

const TYPES: Record<string, string> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  woff2: "font/woff2",
  json: "application/json",
  txt: "text/plain; charset=utf-8",
};

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const MAX_BYTES = 16 * 1024 * 1024;
/** Folders below the pages' own. */
const DEPTH = 2;

/** By name, `index.html` among them; empty where the pages were not built. */
export function readPageFiles(folder = builtFolder()): Map<string, PageFile> {
  const files = new Map<string, PageFile>();
  if (folder !== undefined) readInto(files, folder, "", DEPTH);
  return files.has("index.html") ? files : new Map();
}

function readInto(files: Map<string, PageFile>, folder: string, prefix: string, depth: number): void {
  for (const name of nodeDisk.readdir(folder).filter((one) => NAME.test(one))) {
    const path = join(folder, name);
    const kind = nodeDisk.lstat(path)?.kind;
    if (kind === "folder" && depth > 0) readInto(files, path, `${prefix}${name}/`, depth - 1);
    const type = TYPES[name.slice(name.lastIndexOf(".") + 1)];
    if (kind !== "file" || type === undefined) continue;
    const bytes = nodeDisk.readFile(path, MAX_BYTES);
    const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`;
    files.set(prefix + name, { name: prefix + name, type, bytes, etag });
  }
}

/** Beside this code as the package holds it, or as it is compiled, or in the sources. */
function builtFolder(): string | undefined {
  return ["./view/", "../view/", "../../view/", "../../../dist/view/"]
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((folder) => nodeDisk.stat(join(folder, "index.html"))?.kind === "file");
}
