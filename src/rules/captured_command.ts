/** The command of a run that Taskfold started, as it is kept (PROOF-100). */
import { askedCommands } from "../state/asked_commands.ts";
import type { Entity, Step, Subject } from "../state/entity.ts";
import { holdsMask, REDACTED } from "../state/packet_masks.ts";
import { commandKey } from "../state/same_command.ts";
import { shellLine } from "../state/shell_quote.ts";
import type { EvidenceItem } from "./evidence_item.ts";
import { redactorOf } from "./packet/redact.ts";

/** The same items, without secrets in commands and arguments. A command that the log has stays as it is: the run is known by it. */
export function withoutSecrets<I extends { items?: readonly EvidenceItem[] | undefined }>(
  { entity }: Subject,
  step: Step | null,
  input: I,
): I {
  if (!input.items?.some(({ captured }) => captured)) return input;
  const { redact } = redactorOf(entity.packet?.manifest.security);
  const masked = (text: string): string => redact(text).text;
  const known = new Set([...askedCommands(entity, step), ...recordedCommands(entity)].map(commandKey));
  const items = input.items.map((item): EvidenceItem => {
    const { command, captured } = item;
    if (!captured || command === undefined || known.has(commandKey(command))) return item;
    const argv = maskedArgv(captured.argv, masked);
    const shown = command === shellLine(captured.argv) ? shellLine(argv) : command;
    return { ...item, command: masked(shown), captured: { ...captured, argv } };
  });
  return { ...input, items };
}

/** Commands of evidence that stand in the log without masks, whichever patterns the manifest has by now. */
function recordedCommands({ evidence }: Entity): string[] {
  const commands = evidence.flatMap(({ sources }) =>
    sources.flatMap((one) => (one.type === "commandExecution" ? [one.command] : [])),
  );
  return commands.filter((command) => !holdsMask(command));
}

/** Stands for blanks and quotes within an argument, where they end none. */
const WITHIN = "\u0001";

/**
 * An argument may name what a later one holds: they are looked at as one line, and each by itself. A value goes to the end of its argument. In
 * a script of a shell it goes to the end of its word: what stands behind it there is another command, and is kept.
 */
function maskedArgv(argv: readonly string[], masked: (text: string) => string): string[] {
  const plain = argv.map((part) => part.replaceAll(/[\s"'`]/g, WITHIN));
  const parts = masked(plain.join(" ")).split(" ");
  // A secret that goes beyond one argument takes all that it touches.
  const moved = parts.length - argv.length;
  const from = plain.findIndex((part, n) => part !== parts[n]);
  const to = plain.findLastIndex((part, n) => part !== parts[n + moved]);
  return argv.map((part, n) => {
    if (moved !== 0 && n >= from && n <= to) return REDACTED;
    const after = parts[moved !== 0 && n > to ? n + moved : n]!;
    if (isScript(argv, n) && after === masked(plain[n]!)) return maskedScript(part, masked);
    return masked(spliced(part, plain[n]!, after));
  });
}

/** Whether a shell takes this argument as its script: `sh -c SCRIPT`, `bash -lc SCRIPT`. */
function isScript(argv: readonly string[], n: number): boolean {
  const isShell = (part: string): boolean => /(?:^|\/)(?:ba|da|z|k)?sh$/.test(part);
  return n >= 2 && /^-[a-z]*c$/.test(argv[n - 1]!) && argv.slice(0, n - 1).some(isShell);
}

/** A blank behind a backslash ends no word. */
function maskedScript(script: string, masked: (text: string) => string): string {
  return masked(script.replaceAll("\\ ", `\\${WITHIN}`)).replaceAll(WITHIN, " ");
}

/** Does to a text what changed between two others, of which the first has its length. */
function spliced(text: string, before: string, after: string): string {
  const least = Math.min(before.length, after.length);
  let begin = 0;
  while (begin < least && before[begin] === after[begin]) begin++;
  let end = 0;
  while (end < least - begin && before.at(-1 - end) === after.at(-1 - end)) end++;
  return text.slice(0, begin) + after.slice(begin, after.length - end) + text.slice(text.length - end);
}
