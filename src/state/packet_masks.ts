/** The text that stands in the log in the place of a text that has to stay outside. */
export const REDACTED = "[REDACTED]";
export const FORBIDDEN_PATH = "[FORBIDDEN_PATH]";

export function holdsMask(text: string): boolean {
  return text.includes(REDACTED) || text.includes(FORBIDDEN_PATH);
}

/** Whether `masked` is `text` with some of it behind masks. */
export function isMaskedFormOf(masked: string, text: string): boolean {
  if (masked === text) return true;
  const parts = masked.split(FORBIDDEN_PATH).flatMap((part) => part.split(REDACTED));
  const last = parts.length - 1;
  if (last === 0 || !text.startsWith(parts[0]!)) return false;
  let from = parts[0]!.length;
  for (const part of parts.slice(1, last)) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return text.length - parts[last]!.length >= from && text.endsWith(parts[last]!);
}
