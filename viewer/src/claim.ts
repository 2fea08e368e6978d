/** A claim ends by the clock: no event says that it is over. */
export function isInEffect(claim: { expires_at: string }, now: number): boolean {
  return Date.parse(claim.expires_at) > now;
}
