/**
 * A message says what was expected and found. `message` has the words for callers of tools. A time in it is a part of its own: a host
 * words it as its readers do, and reads no sentence back.
 */
import { toSecond } from "./to_second.ts";

/** A moment in a sentence. */
interface NamedTime {
  /** RFC 3339, exact. */
  time: string;
  /** The words for callers of tools. */
  text: string;
}

export type MessagePart = string | NamedTime;

/** A symbol, so that JSON has the sentence alone. `Symbol.for`: the package may be loaded twice. */
export const MESSAGE_PARTS: unique symbol = Symbol.for("taskfold.message_parts");

/** An error, a warning or a finding, or a piece of the sentence of one. */
export interface Wording {
  message: string;
  /** @internal */
  [MESSAGE_PARTS]?: readonly MessagePart[] | undefined;
}

/** Names a time of RFC 3339 in a message. */
export function namedTime(time: string): NamedTime {
  return { time, text: toSecond(time) };
}

/** Makes a message with times. An error or a piece among the values stands for its own message. */
export function worded(texts: TemplateStringsArray, ...values: readonly (MessagePart | number | Wording)[]): Wording {
  return joined(texts.flatMap((text, i) => [text, ...(i < values.length ? partsOf(values[i]!) : [])]));
}

/** The message of an error or warning, to be spread or to be thrown anew. */
export function messageOf(from: Wording | string): Wording {
  return joined(partsOf(from));
}

/** One whose sentence was replaced or cut since has that sentence alone. */
export function messageParts({ message, [MESSAGE_PARTS]: parts = [] }: Wording): readonly MessagePart[] {
  return textOf(parts) === message ? parts : [message];
}

function joined(parts: readonly MessagePart[]): Wording {
  const message = textOf(parts);
  return parts.some((part) => typeof part !== "string") ? { message, [MESSAGE_PARTS]: parts } : { message };
}

function partsOf(value: MessagePart | number | Wording): readonly MessagePart[] {
  if (typeof value === "number") return [String(value)];
  return typeof value === "string" || "time" in value ? [value] : messageParts(value);
}

function textOf(parts: readonly MessagePart[]): string {
  return parts.map((part) => (typeof part === "string" ? part : part.text)).join("");
}
