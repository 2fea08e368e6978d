/** Every byte is kept, a byte order mark too; undefined when they are no UTF-8. */
export function utf8Text(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (e) {
    if (e instanceof TypeError) return undefined;
    throw e;
  }
}
