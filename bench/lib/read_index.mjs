import { readFileSync } from "node:fs";

/** Numbers of a row, the last of which is where its text ends (`src/engine/listing/listing_index.ts`). */
const WIDTH = 14;

/** Every row of the index, parsed: the floor of whatever answers from it. @param {string} path */
export function readIndex(path) {
  const bytes = readFileSync(path);
  const rows = [];
  for (let at = 0; at < bytes.length;) {
    const lf = bytes.indexOf(0x0a, at);
    const head = JSON.parse(bytes.toString("utf8", at, lf));
    const numbers = new Float64Array(new Uint8Array(bytes.subarray(lf + 1, lf + 1 + head.numbers)).buffer);
    if (numbers.length !== WIDTH * head.rows) throw new Error("the index has another form than this reader");
    const texts = bytes.subarray(lf + 1 + head.numbers + head.names);
    for (let row = 0, from = 0; row < head.rows; row++) {
      const end = numbers[(row + 1) * WIDTH - 1];
      rows.push(JSON.parse(texts.toString("utf8", from, end - 1)));
      from = end;
    }
    at = lf + 1 + head.numbers + head.names + head.texts;
  }
  return rows;
}
