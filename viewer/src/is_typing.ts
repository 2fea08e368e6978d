/** Whether a key is a letter of what a reader writes there. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.matches("input:not([type=range]), textarea, select") || target.isContentEditable)
  );
}
