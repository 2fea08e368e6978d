/** The check of one plan or task: the findings of its folder, and which of its evidence still holds. */
import { phrased } from "../../sentence.ts";
import type { Sentence } from "../../sentence.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { lookAtFiles } from "../core/evidence_files.ts";
import { hasEnded } from "../../state/ended.ts";
import type { Entity } from "../../state/entity.ts";
import type { EvidenceEntry } from "../../state/evidence.ts";
import type { Seen, Staleness, StalenessOf } from "../../state/staleness.ts";
import type { Checked as CheckedEntry, Look } from "../../views/evidence_check.ts";
import { checkEntry } from "../../views/evidence_check.ts";
import { allStaleProofs, staleEntries } from "../../views/stale.ts";
import { API_VERSION } from "../../views/viewer/api.ts";
import type { CheckAnswer } from "../../views/viewer/api.ts";
import { stepsBackedBy } from "../../views/viewer/evidence_items.ts";
import { stepRef } from "../../views/viewer/refs.ts";
import { isoTime } from "../core/context.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { Found } from "../entities/entities.ts";
import type { ReadModel } from "../entities/read_model.ts";
import { boundedLine, boundedSentence } from "./bounded_line.ts";
import type { Checked } from "./checks.ts";

/** Entries whose files are looked at, and milliseconds for all of them. */
const MAX_CHECKED = 500;
const CHECK_MS = 1500;

/** Returns the findings of its folder, whether evidence still holds, and of which files it is. */
export function checkPage(
  from: ReadModel,
  { loaded, subject }: Found,
  { at, drift, findings }: Checked,
  staleness: StalenessOf | undefined,
): CheckAnswer {
  const { entity, id, head } = subject;
  const look = lookAt(from, loaded);
  const { runtime } = from.context;
  const began = runtime.uptime();
  const isLate = (): boolean => runtime.uptime() - began > CHECK_MS;
  const newest = entity.evidence.slice(-MAX_CHECKED).reverse();
  const backed = stepsBackedBy(entity);
  const inTime = staleness && onceInTime(staleness, isLate);
  const stale = inTime && !hasEnded(entity) ? [...allStaleProofs(subject, inTime)] : [];
  const staleById = inTime ? staleEntries(subject, inTime) : NONE_STALE;
  const evidence = newest.map((entry): [string, CheckAnswer["evidence"][string]] => {
    const { status, why } = isLate() ? NO_TIME : checkProof(entity, entry, look);
    const words = staleById.get(entry.id);
    const about = {
      title: boundedLine(entry.title),
      backs: backed.get(entry.id) ?? [],
      stale: words === undefined ? null : boundedSentence(words),
    };
    return [entry.id, { status, why: why.map(boundedSentence), ...about }];
  });
  return {
    api: API_VERSION,
    id,
    head,
    checked_at: isoTime(at),
    drift,
    findings: findings.slice(0, MAX_CHECKED),
    findings_total: findings.length,
    stale: stale
      .slice(0, MAX_CHECKED)
      .map(({ words, ...one }) => ({ ...one, step: stepRef(one.step), why: boundedSentence(words) })),
    evidence: Object.fromEntries(evidence),
  };
}

const NONE_STALE: ReadonlyMap<string, Sentence> = new Map();

/** Several steps may rest on one run, and git may take its time for each. */
function onceInTime(of: StalenessOf, isLate: () => boolean): StalenessOf {
  const known = new Map<Seen, Staleness>();
  return (id, seen, scope) => {
    const before = known.get(seen);
    if (before) return before;
    const found = isLate()
      ? ({ is: "unknown", why: phrased`there was no time to look here` } as const)
      : of(id, seen, scope);
    known.set(seen, found);
    return found;
  };
}

const NO_TIME: CheckedEntry = { status: "unverifiable", why: [phrased`there was no time to look here`] };
const NEVER_PROOF: CheckedEntry = { status: "unverifiable", why: [phrased`it proved nothing when it was captured`] };

/** Evidence that was no proof from the start is none that no longer holds. */
function checkProof(entity: Entity, entry: EvidenceEntry, look: Look): CheckedEntry {
  return entity.facts.get(entry.id)?.no_proof === undefined ? checkEntry(entity, entry, look) : NEVER_PROOF;
}

/** Looks at files of the repository and of the folder; an error of the system counts as unsafe. */
function lookAt({ context }: ReadModel, { folder }: LoadedEntity): Look {
  const { file, lines } = lookAtFiles(context, folder);
  return {
    file: (...named) => safely(() => file(...named)),
    lines: (...named) => safely(() => lines(...named)),
    commit: () => null,
  };
}

function safely<T>(look: () => T): T | { state: "unsafe"; why: string } {
  try {
    return look();
  } catch (e) {
    const errno = errnoOf(e);
    if (errno === undefined) throw e;
    return { state: "unsafe", why: `the system said ${errno}` };
  }
}
