/** `1 step`, `2 steps`; `1 retry`, `2 retries` where the plural is given. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
