/** The command of a run that Taskfold started, as it is kept (PROOF-100). */
import type { Step, Subject } from "../state/entity.ts";
import { isSameCommand } from "../state/same_command.ts";
import type { EvidenceItem } from "./evidence_item.ts";
import { redactorOf } from "./packet/redact.ts";

/** The same items, without secrets in commands and arguments. A declared test stays as it is: the log has it, and the run is known by it. */
export function withoutSecrets<I extends { items?: readonly EvidenceItem[] | undefined }>(
  { entity }: Subject,
  step: Step | null,
  input: I,
): I {
  if (!input.items?.some(({ captured }) => captured)) return input;
  const { redact } = redactorOf(entity.packet?.manifest.security);
  const masked = (text: string): string => redact(text).text;
  const items = input.items.map((item): EvidenceItem => {
    const { command, captured } = item;
    if (!captured || command === undefined || step?.tests.some((test) => isSameCommand(test, command))) return item;
    return { ...item, command: masked(command), captured: { ...captured, argv: maskedArgv(captured.argv, masked) } };
  });
  return { ...input, items };
}

/** An option may name what the next argument holds: both are looked at together, too. */
function maskedArgv(argv: readonly string[], masked: (text: string) => string): string[] {
  return argv.map((part, n) => {
    const alone = masked(part);
    const before = argv[n - 1];
    if (before === undefined || alone !== part) return alone;
    const pair = masked(`${before} ${part}`);
    const begin = `${before} `;
    return pair.startsWith(begin) ? pair.slice(begin.length) : alone;
  });
}
