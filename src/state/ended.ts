/** Statuses in which no work is left to do, whether or not it was done. */
export const ENDED = ["DONE", "FAILED", "CANCELED"] as const;

export function hasEnded({ status }: { status: string }): boolean {
  return (ENDED as readonly string[]).includes(status);
}
