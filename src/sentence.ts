/**
 * A sentence of the engine beside the form that it was made by, as gettext has it (VIEWER-156). Pages in other languages look the form up,
 * and no code reads an English text back. A sentence takes two to three times the bytes of its text.
 */
export interface Sentence {
  /** The English words, whole. */
  text: string;
  /** The constant words with `{0}` in the place of the first value. A text without a key is no sentence of the engine. */
  key?: string;
  /** The values; left out where there are none. */
  args?: readonly SentenceArg[];
}

/** A list stands in the English text with commas. */
export type SentenceArg = string | number | Sentence | readonly (string | Sentence)[];

/** Makes a sentence: `` phrased`Waits for ${id}` `` has the key `Waits for {0}`. */
export function phrased(texts: TemplateStringsArray, ...args: readonly SentenceArg[]): Sentence {
  const key = keyOf(texts);
  if (args.length === 0) return { text: key, key };
  let text = texts[0]!;
  for (let i = 0; i < args.length; i++) text += wordsOf(args[i]!) + texts[i + 1]!;
  return { text, key, args };
}

/** A radar has the same forms again and again, so each key is made once. */
const keys = new WeakMap<TemplateStringsArray, string>();

function keyOf(texts: TemplateStringsArray): string {
  const known = keys.get(texts);
  if (known !== undefined) return known;
  const key = texts.reduce((before, next, i) => `${before}{${i - 1}}${next}`);
  keys.set(texts, key);
  return key;
}

/** A text of someone else: it has no form. */
export function asIs(text: string): Sentence {
  return { text };
}

/** A form as a log keeps it: its values are words, and one sentence stands in another at most. */
export interface KeptForm {
  key: string;
  args: (string | { key: string; args: string[] })[];
}

/** Null of a text that is no sentence of the engine. */
export function keptForm({ key, args = [] }: Sentence): KeptForm | null {
  if (key === undefined) return null;
  const inner = (arg: SentenceArg): KeptForm["args"][number] => {
    const isSentence = typeof arg === "object" && "text" in arg && arg.key !== undefined;
    return isSentence ? { key: arg.key!, args: (arg.args ?? []).map(wordsOf) } : wordsOf(arg);
  };
  return { key, args: args.map(inner) };
}

/** A text of a log with its form. A form that does not make the text is none of it: anyone may write a log. */
export function keptSentence(text: string, form: KeptForm | null | undefined): Sentence {
  if (!form) return asIs(text);
  const args = form.args.map((arg) => (typeof arg === "string" ? arg : { ...arg, text: filled(arg.key, arg.args) }));
  return filled(form.key, args.map(wordsOf)) === text ? { text, key: form.key, args } : asIs(text);
}

function filled(key: string, words: readonly string[]): string {
  return key.replace(/\{(\d+)\}/g, (place, at: string) => words[Number(at)] ?? place);
}

export function textOf({ text }: Sentence): string {
  return text;
}

function wordsOf(arg: SentenceArg): string {
  if (typeof arg === "string") return arg;
  if (typeof arg === "number") return String(arg);
  return "text" in arg ? arg.text : arg.map(wordsOf).join(", ");
}
