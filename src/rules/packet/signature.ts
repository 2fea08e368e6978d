import { hash } from "node:crypto";
import { shorten } from "../../state/code_points.ts";
import type { FailureClass } from "../../state/packet.ts";

/** Only the beginning of stderr says what went wrong. */
const LINES = 100;
const LINE_UNITS = 2000;
const NORMALIZED_CODE_POINTS = 500;

export function firstLines(text: string): string {
  const lines = text.split(/\r\n|\n|\r/, LINES);
  return lines.map((line) => line.slice(0, LINE_UNITS)).join("\n");
}

/** One name for failures of one kind, whenever and wherever they happen (PACKET-65). */
export function signatureOf(
  failure: FailureClass,
  stage: string,
  text: string,
): { signature: string; normalized: string } {
  const normalized = normalize(text);
  const digest = hash("sha256", JSON.stringify([failure, stage, normalized]), "hex");
  return { signature: `sig:${digest.slice(0, 16)}`, normalized };
}

function normalize(text: string): string {
  let masked = firstLines(text.toWellFormed());
  for (const [pattern, mask] of MASKS) masked = masked.replace(pattern, mask);
  masked = masked.replace(PATH, shortName);
  for (const [pattern, mask] of MASKS_BELOW_PATHS) masked = masked.replace(pattern, mask);
  const lines = masked.split("\n").map((line) => line.replace(/\s+/g, " ").trim());
  return shorten(lines.filter((line) => line !== "").join("\n"), NORMALIZED_CODE_POINTS);
}

/** The last name of a path; below a folder for temporary files without the parts that are new each time. */
function shortName(path: string): string {
  const name = path.split("/").findLast((part) => part !== "")!;
  return TEMPORARY.test(path) ? name.replace(/[A-Za-z0-9]{6,}/g, (part) => (isRandom(part) ? "<id>" : part)) : name;
}

const TEMPORARY = /^(?:\/private)?\/(?:tmp|var\/tmp|var\/folders|dev\/shm)\//;

/** As programs name temporary files: letters with digits, capitals inside of a word, or what Python makes. */
function isRandom(part: string): boolean {
  return (/\d/.test(part) && /[A-Za-z]/.test(part)) || /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(part) || /^tmp.{8}$/.test(part);
}

const ESC = "\\u001b";
const NAME = "[^\\s/\\\\:\"'<>|()[\\],;]";

/** In this order: a UUID holds numbers, and a time holds what looks like a place in a file. */
const MASKS: [RegExp, string][] = [
  [new RegExp(`${ESC}\\[[0-?]*[ -/]*[@-~]|${ESC}\\][^\\u0007${ESC}]*(?:\\u0007|${ESC}\\\\)?|${ESC}[@-_]`, "g"), ""],
  // oxlint-disable-next-line no-control-regex -- what a terminal would not show
  [/[\u0000-\u0008\u000b-\u001f\u007f]/g, ""],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, "<uuid>"],
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g, "<time>"],
  [/(?<![\d:])\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?(?![\d:])/g, "<time>"],
  [/\bBearer\s+\S+|(?<![A-Za-z0-9])(?:sk-|gh[opsu]_|github_pat_|AKIA)[A-Za-z0-9._-]{10,}/g, "<key>"],
  [/\bfile:\/\//g, ""],
  [new RegExp(`(?<![A-Za-z0-9])[A-Za-z]:[/\\\\](?:${NAME}+[/\\\\])*`, "g"), ""],
];

/** An absolute path that is no part of a URL. */
const PATH = new RegExp(`(?<![\\w.:/~@>-])~?(?:/(?:<\\w+>|${NAME})+)+/?`, "g");

const MASKS_BELOW_PATHS: [RegExp, string][] = [
  [/\(\d+,\s?\d+\)/g, "(<place>)"],
  [/(?<=\.[A-Za-z]\w{0,9}):\d+(?::\d+)?(?!\d)/g, ":<place>"],
  [/:\d+:\d+(?!\d)/g, ":<place>"],
  [/\b(lines?|columns?|cols?)([ :]+)\d+/gi, "$1 <place>"],
  [/(?<![A-Za-z0-9])\d{8}-\d{3,}/g, "<id>"],
  [/(?<![A-Za-z0-9])(?:0x)?[0-9a-f]{8,}(?![A-Za-z0-9])/gi, "<id>"],
  [/\b(pid|ppid|tid|process|thread|worker|port)((?:[ _-]id)?[ =:#]{1,2})\d+\b/gi, "$1$2<id>"],
  [/\[\d{2,}\]/g, "[<id>]"],
  [/(?<=[\w\]]):\d{4,5}(?![\w:])/g, ":<id>"],
  [/(?<![\w.-])\d+(?:\.\d+)?\s?(?:ms|[nuµ]?s|secs?|seconds?|min|minutes?)\b/g, "<time>"],
  [/\d{10,}|(?<![\w.-])\d{5,}(?![\w.])/g, "<id>"],
];
