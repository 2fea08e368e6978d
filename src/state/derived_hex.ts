/** The hex digits in an id that is derived from a hash (EVID-4). */
const OLD = 8;
/** 80 bits: no one finds two hashes that begin alike. Eight digits can be met by trying. */
const LONG = 20;
const WHOLE = 64;

/** `hash`: in the form of an event, or hexadecimal. `isLong`: false for what an older release wrote. */
export function derivedHex(hash: string, isLong: boolean): string {
  return hexOf(hash).slice(0, isLong ? LONG : OLD);
}

/** Where another id has the digits already, all of them stand in their place. */
export function wholeHex(hash: string): string {
  return hexOf(hash);
}

/** All forms that an id may have; without `isLong` those of each release. */
export function hexForms(hash: string, isLong?: boolean): string[] {
  const usual = isLong === undefined ? [LONG, OLD] : [isLong ? LONG : OLD];
  return [...usual, WHOLE].map((digits) => hexOf(hash).slice(0, digits));
}

function hexOf(hash: string): string {
  return hash.length === WHOLE ? hash : Buffer.from(hash, "base64url").toString("hex");
}
