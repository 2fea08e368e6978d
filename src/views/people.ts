/** What people wrote in their files, for those who take over (PEOPLE-5, PEOPLE-6). */
import { shorten } from "../state/code_points.ts";
import type { Entity } from "../state/entity.ts";
import { LIMITS } from "../state/limits.ts";
import { PEOPLES_FILES } from "../state/people.ts";

/**
 * Lines for whoever works on: which file to read because a person changed it. An op in the same write as the reading in
 * has not seen it, so only a later one by an agent counts as having looked. What ten more ops lie upon is old.
 */
export function toRead(entity: Entity, unread: readonly string[]): string[] {
  return PEOPLES_FILES.flatMap((file) => {
    if (unread.includes(file)) return [`Read ${file}: a person changed it, and no change has read it into the log yet`];
    const { revision, ts } = entity.people[file];
    return revision > 0 && isFresh(entity, revision) ? [`Read ${file}: a person changed it (read in at ${ts})`] : [];
  });
}

function isFresh(entity: Entity, revision: number): boolean {
  const since = entity.revision - revision;
  // The first op after it was written together with it.
  return since < LIMITS.recentOps && !entity.recent.slice(entity.recent.length - since + 1).some(isAgents);
}

function isAgents({ by }: { by: string }): boolean {
  return by.startsWith("agent:");
}

/** The text of each file that people changed, as far as it was read in, as notes without a place. */
export function peoplesNotes(entity: Entity, longest: number): { ts: string; by: string; path: null; text: string }[] {
  return PEOPLES_FILES.flatMap((file) => {
    const { content, ts } = entity.people[file];
    if (content === null || ts === null) return [];
    return [{ ts, by: "human", path: null, text: shorten(`${file}: ${content.trim()}`, longest) }];
  });
}
