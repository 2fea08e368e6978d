import { expect, it } from "vitest";
import { Pieces } from "../../src/log/pieces.ts";

it.each([
  [256, true],
  [257, false],
])("[LOG-3] keeps a name of %i characters: %s", (length, isKept) => {
  const around = (name: string): string => `,"taskId":"${name}"`;
  const name = "a".repeat(length);
  const bytes = Buffer.from(around(name));
  const names = new Pieces(around);
  names.learn(name);
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  expect(names.at(data, 0, bytes.length)?.text).toBe(isKept ? name : undefined);
});
