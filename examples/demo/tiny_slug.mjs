// @ts-check
// The package that the demo's agents work on: small, real, and wrong in two places.

export const ACCENTS = "src/accents.mjs";
export const DASHES = "src/dashes.mjs";

/** The first commit. @type {Record<string, string>} */
export const FILES = {
  "package.json": `{
  "name": "tiny-slug",
  "version": "1.0.0",
  "private": true,
  "type": "module",
  "exports": "./src/slugify.mjs",
  "scripts": { "test": "node --test" }
}
`,
  [ACCENTS]: `/** Letters without their accents. */
export function withoutAccents(text) {
  return text.replace(/[àáâ]/g, "a").replace(/[èéê]/g, "e");
}
`,
  [DASHES]: `/** One dash for everything that is no letter or digit. */
export function dashed(text) {
  return text.toLowerCase().replace(/[^a-z0-9]/g, "-");
}
`,
  "src/slugify.mjs": `import { withoutAccents } from "./accents.mjs";
import { dashed } from "./dashes.mjs";

/** "Hello World" becomes "hello-world". */
export function slugify(text) {
  return dashed(withoutAccents(text));
}
`,
  "test/slugify.test.mjs": `import assert from "node:assert/strict";
import test from "node:test";
import { slugify } from "../src/slugify.mjs";

test("words become a slug", () => assert.equal(slugify("Hello World"), "hello-world"));
`,
};

/** The second commit: what users reported, as tests. @type {Record<string, string>} */
export const REPORTED = {
  "test/accents.test.mjs": `import assert from "node:assert/strict";
import test from "node:test";
import { slugify } from "../src/slugify.mjs";

test("every accent goes", () => assert.equal(slugify("Crème Brûlée à Zürich"), "creme-brulee-a-zurich"));
`,
  "test/dashes.test.mjs": `import assert from "node:assert/strict";
import test from "node:test";
import { slugify } from "../src/slugify.mjs";

test("dashes do not pile up", () => assert.equal(slugify("  Rock & Roll!  "), "rock-roll"));
`,
};

/** A later wish, as a test. @type {Record<string, string>} */
export const SHARP_S = {
  "test/sharp_s.test.mjs": `import assert from "node:assert/strict";
import test from "node:test";
import { slugify } from "../src/slugify.mjs";

test("ß is written as ss", () => assert.equal(slugify("Straße"), "strasse"));
`,
};

/** @type {Record<string, string>} */
export const FIXED = {
  [ACCENTS]: `/** Letters without their accents. */
export function withoutAccents(text) {
  return text.normalize("NFKD").replace(/\\p{Mark}/gu, "");
}
`,
  [DASHES]: `/** One dash between what is left of letters and digits. */
export function dashed(text) {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
`,
};

export const CHANGELOG = `# Changelog

## 1.1.0

- Every accent is taken off, not only those of a and e.
- Dashes do not pile up and do not stand at the ends.
`;
