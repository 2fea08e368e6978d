import { SHARED_RULES } from "./templates.ts";
import { counted } from "../../state/counted.ts";

export interface PromptParts {
  template: string;
  /** The context pack or its digest; null: there is none. */
  pack: string | null;
  request: string;
  attachments: readonly PromptAttachment[];
}

export interface PromptAttachment {
  /** Without folders: `git.diff`. */
  name: string;
  text: string;
}

/** Lines of a log that are kept at its beginning and at its end. */
const LOG_LINES = 200;

/** The prompt of a stage, part by part between markers; the same parts give the same bytes (PACKET-42). */
export function composePrompt({ template, pack, request, attachments }: PromptParts): string {
  const inOrder = attachments.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return [
    part("SHARED RULES", SHARED_RULES),
    part("ROLE TEMPLATE", template),
    ...(pack === null ? [] : [part("CONTEXT PACK", pack)]),
    part("USER REQUEST", request),
    ...inOrder.map(({ name, text }) => part(`ATTACHMENT: ${name}`, isLog(name) ? trimmedLog(text) : text)),
  ]
    .join("\n")
    .toWellFormed();
}

function part(name: string, text: string): string {
  const body = text.replace(MARKER, "\\$&");
  return `--- BEGIN ${name} ---\n${body}${body === "" || body.endsWith("\n") ? "" : "\n"}--- END ${name} ---\n`;
}

/** A text cannot end its own part. */
const MARKER = /^[ \t]*--- ?(?:BEGIN|END)\b/gim;

function isLog(name: string): boolean {
  return name === "logs.txt" || name.endsWith(".log");
}

function trimmedLog(text: string): string {
  const lines = text.split("\n");
  const count = text.endsWith("\n") ? lines.length - 1 : lines.length;
  const left = count - 2 * LOG_LINES;
  if (left <= 0) return text;
  const tail = lines.slice(count - LOG_LINES).join("\n");
  return `${lines.slice(0, LOG_LINES).join("\n")}\n... [${counted(left, "line")} left out] ...\n${tail}`;
}
