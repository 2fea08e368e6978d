/**
 * A page that leads on to an address with a token, in a folder that only this user can enter. The program that opens it has the path on
 * its command line, which other users of the machine can read, and not the token.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makePrivateFolder, nodeDisk } from "../../disk.ts";
import { removeQuietly, writeAtomic } from "../../files/atomic.ts";
import { errnoOf, storageError } from "../../files/storage_error.ts";

export class OpeningPage {
  readonly path: string;
  readonly #folder: string;

  constructor(address: string) {
    const toWrite = "write the page that leads to the viewer";
    try {
      this.#folder = makePrivateFolder(join(tmpdir(), "taskfold-view-"));
    } catch (e) {
      throw storageError(e, toWrite);
    }
    this.path = join(this.#folder, "open.html");
    try {
      writeAtomic(nodeDisk, this.path, pageTo(address));
    } catch (e) {
      this.remove();
      throw storageError(e, toWrite);
    }
  }

  remove(): void {
    removeQuietly(nodeDisk, this.path);
    try {
      nodeDisk.rmdir(this.#folder);
    } catch (e) {
      // The system may have cleared it away, or another program has put something there.
      if (errnoOf(e) === undefined) throw e;
    }
  }
}

function pageTo(address: string): string {
  const to = address.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${to}"><title>Taskfold</title><p><a href="${to}">Open the viewer</a></p><p lang="zh-CN"><a href="${to}">打开查看器</a></p></html>\n`;
}
