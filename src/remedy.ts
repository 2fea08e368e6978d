/**
 * A remedy says what to do about an error or a warning, and which calls do it. `recovery` has the words for callers of tools. A host
 * that has other words makes its own sentence of the parts, and reads no sentence back.
 */

/** Names a call in a sentence. */
export interface NamedCall {
  tool: string;
  /** Left out: the sentence names the tool alone. */
  input?: Readonly<Record<string, unknown>>;
  /** The words for callers of tools. */
  text: string;
  /** Stands before the words of a host that has a command for the call. */
  ahead?: string;
}

/** A sentence that is for callers of tools alone: a person reads the help of the command in its place. */
export interface ForCallers {
  forCallers: string;
}

/** The program in a sentence. A host that is started by other words says those. */
export interface ProgramName {
  program: true;
  /** It has to start in this folder, which is named from the root. A host says how one comes there from where it is itself. */
  folder?: string;
  /** The word for callers of tools. */
  text: string;
}

export const TASKFOLD: ProgramName = { program: true, text: "taskfold" };

export type RemedyPart = string | NamedCall | ForCallers | ProgramName;

/** A symbol, so that JSON has the sentence alone. `Symbol.for`: the package may be loaded twice. */
export const REMEDY_PARTS: unique symbol = Symbol.for("taskfold.remedy_parts");

export interface Remedy {
  recovery: string;
  [REMEDY_PARTS]: readonly RemedyPart[];
}

/** An error or a warning. */
export interface Remediable {
  recovery?: string | undefined;
  [REMEDY_PARTS]?: readonly RemedyPart[] | undefined;
}

/** Spread it into an error's particulars or into a warning. An error among the values stands for its own remedy. */
export function remedy(texts: TemplateStringsArray, ...values: readonly (RemedyPart | Remediable)[]): Remedy {
  const parts = texts.flatMap((text, i) => [text, ...(i < values.length ? partsOf(values[i]!) : [])]);
  return { recovery: textOf(parts), [REMEDY_PARTS]: parts };
}

/** The remedy of another error, to be spread; of one without a remedy nothing. */
export function remedyOf(from: Remediable): Partial<Remedy> {
  const { recovery, [REMEDY_PARTS]: parts } = from;
  if (recovery === undefined) return {};
  return parts === undefined ? { recovery } : { recovery, [REMEDY_PARTS]: parts };
}

/** The parts of a remedy. One whose sentence was replaced or cut since has that sentence alone. */
export function remedyParts({ recovery = "", [REMEDY_PARTS]: parts = [] }: Remediable): readonly RemedyPart[] {
  return textOf(parts) === recovery ? parts : [recovery];
}

/** Names a tool in a sentence. */
export function toolName(tool: string): NamedCall {
  return { tool, text: tool };
}

function partsOf(value: RemedyPart | Remediable): readonly RemedyPart[] {
  return typeof value === "string" || "text" in value || "forCallers" in value ? [value] : remedyParts(value);
}

function textOf(parts: readonly RemedyPart[]): string {
  return parts.map((part) => (typeof part === "string" ? part : "text" in part ? part.text : part.forCallers)).join("");
}
