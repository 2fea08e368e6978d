/** How far proof can be trusted: by whom a run was made, and who else vouches for it (PROOF-46). */
import { CHECKPOINTS } from "./entity.ts";
import type { Entity, Link, ProofMode, Step } from "./entity.ts";

/** From the weakest on. */
export const DEGREES = ["claimed", "captured", "repeated", "attested"] as const;
export type Degree = (typeof DEGREES)[number];

/** Whether a checkpoint of this mode closes only with proof. */
export function isRequired(mode: ProofMode): boolean {
  return mode !== "off" && mode !== "warn";
}

/** Whether a receipt or a run that the caller reports is too little for the mode. */
export function takesNoClaim(mode: ProofMode): boolean {
  return isRequired(mode) && mode !== "require";
}

/** `closer`: the actor who closes the step, or closed it. His own repeat is a captured run; without him any repeat is one. */
export function degreeOf(link: Pick<Link, "degree" | "by" | "signed">, closer?: string | null): Degree {
  return link.signed ? "attested" : degreeOfRun(link, closer);
}

/** The same without signatures: the log does not say whom its reader trusts. */
export function degreeOfRun({ degree, by }: Pick<Link, "degree" | "by">, closer?: string | null): Degree {
  if (degree === undefined) return "claimed";
  return degree === "repeated" && by !== undefined && by !== closer ? "repeated" : "captured";
}

/**
 * Whether a link is proof of the degree that the mode asks for. An agent can sign its own claim, so a signature makes no run of it. Only the
 * mode `attested` asks for one.
 */
export function isEnough(link: Link, mode: ProofMode, closer?: string | null): boolean {
  if (mode === "attested") return link.signed === true;
  if (mode === "repeated") return degreeOfRun(link, closer) === "repeated";
  return mode !== "captured" || link.degree !== undefined;
}

/** The highest degree among links; undefined where there are none. */
export function highestDegree(links: readonly Link[], closer?: string | null): Degree | undefined {
  const found = links.map((link) => DEGREES.indexOf(degreeOf(link, closer)));
  return found.length === 0 ? undefined : DEGREES[Math.max(...found)];
}

/** The actor who closed the step, or who would close it: the nearest claim says so, also one that is over. A repeat of his is a captured run there. */
export function closerOf(entity: Entity, step: Step): string | null {
  let by = step.done_by;
  for (let at: Step | null = step; at && by === null; at = at.parent) by = at.lease?.by ?? null;
  return by ?? entity.lease?.by ?? null;
}

/** The degree of an entry, for the actor who closed or holds the step that it proves. Files of a task ask for each entry, so steps are looked through for repeats alone. */
export function degreeOfEntry(entity: Entity, id: string): Degree {
  const { steps, facts } = entity;
  const one = facts.get(id);
  if (one?.attested_in) return "attested";
  if (!one?.captured) return "claimed";
  if (one.captured.checkout !== "clean") return "captured";
  for (const step of steps.values())
    for (const c of CHECKPOINTS)
      if (step.linked[c].some(({ evidence }) => evidence === id) && closerOf(entity, step) === one.by)
        return "captured";
  return "repeated";
}
