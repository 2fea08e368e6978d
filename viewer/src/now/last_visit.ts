/**
 * Keeps when a reader looked at a workspace. A cookie does, because storage is of one port, and `taskfold view` takes another each time.
 * An export, which tells of one moment, has no visits.
 */
import { kind } from "../data/source.ts";
import { readVisit, visitAt, visitText } from "./visit.ts";

const YEAR_S = 366 * 86_400;

/** The end of the visit before this one, as RFC 3339; undefined where there was none. */
export function lastVisit(workspace: string): string | undefined {
  if (kind !== "live") return undefined;
  const name = `taskfold_visit_${encodeURIComponent(workspace)}=`;
  const kept = document.cookie.split("; ").find((one) => one.startsWith(name));
  const visit = visitAt(readVisit(kept?.slice(name.length)), Date.now());
  document.cookie = `${name}${visitText(visit)}; SameSite=Strict; Path=/; Max-Age=${YEAR_S}`;
  return visit.before === null ? undefined : new Date(visit.before).toISOString();
}
