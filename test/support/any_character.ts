/** A unit for `fc.string`: what "binary" gives, without the table of a million entries that each process would make of it. */
import fc from "fast-check";

const SURROGATES = { first: 0xd800, count: 0x800 };

export const ANY_CHARACTER = fc.nat({ max: 0x10ffff - SURROGATES.count }).map(toCharacter, toNumber);

function toCharacter(n: number): string {
  return String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count);
}

/** fast-check asks with every part of the words that it mixes into texts, such as "__proto__"; a refusal is a throw. */
function toNumber(value: unknown): number {
  const code = typeof value === "string" ? value.codePointAt(0) : undefined;
  if (code === undefined || String.fromCodePoint(code) !== value) throw new Error("expected one character");
  const n = code < SURROGATES.first ? code : code - SURROGATES.count;
  if (toCharacter(n) !== value) throw new Error("expected no half of a character");
  return n;
}
