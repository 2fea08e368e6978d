/** A time for readers: its fraction of a second, which only the log needs, is left out (PROJ-61). */
export function toSecond(ts: string): string {
  return ts.replace(/\.\d+(?=Z$)/, "");
}
