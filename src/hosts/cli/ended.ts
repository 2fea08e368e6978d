/** Statuses of what has ended. */
export const ENDED: readonly string[] = ["DONE", "FAILED", "CANCELED"];

export function hasEnded({ status }: { status: string }): boolean {
  return ENDED.includes(status);
}
