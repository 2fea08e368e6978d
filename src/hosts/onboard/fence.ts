/** Fenced code in Markdown: a line of marks opens it, and a line of as many or more closes it. */

const FENCE = /^ {0,3}(`{3,}(?!.*`)|~{3,})(.*)$/;

/** A fence that no line closes counts as text: else what follows it would never be found again. */
export function isInFence(before: string, after: string): boolean {
  let fence = "";
  for (const line of before.split(/\r?\n/)) fence = fenceAfter(line, fence);
  return fence !== "" && after.split(/\r?\n/).some((line) => fenceAfter(line, fence) === "");
}

/** The marks of the fence that is open below a line. */
function fenceAfter(line: string, fence: string): string {
  const [, marks = "", rest = ""] = FENCE.exec(line) ?? [];
  if (fence === "") return marks;
  return marks.startsWith(fence) && rest.trim() === "" ? "" : fence;
}
