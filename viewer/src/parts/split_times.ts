const TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;
/** Times of one text that are told in the reader's zone; a sentence of the engine has a few. */
const MAX_TIMES = 20;

/** Every second part is a time. Times beyond the limit are of the last part. */
export function splitTimes(text: string): string[] {
  const parts = text.split(TIME);
  const rest = parts.splice(2 * MAX_TIMES);
  return rest.length > 0 ? [...parts, rest.join("")] : parts;
}
