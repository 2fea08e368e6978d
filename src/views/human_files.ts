/** The texts of people's files, for agents that take over (PEOPLE-5). */
import { phrased } from "../sentence.ts";
import type { Sentence } from "../sentence.ts";
import { toSecond } from "../to_second.ts";
import type { TimeText } from "./lines.ts";
import { countCodePoints, keepEnd } from "../state/code_points.ts";
import type { Entity } from "../state/entity.ts";
import type { LookForDispatcher } from "../state/packet_next.ts";
import type { HumanFile } from "../state/human_files.ts";
import { SINGLE_FILE_TASKDOC } from "../state/taskdoc.ts";
import { HUMAN_FILES } from "../state/human_files.ts";
import type { PlanTasks } from "./plan_tasks.ts";

/** The caller, and files beside the log with texts that are not in it: people's, and a Taskdoc of the old form. */
export interface Reader {
  by?: string | undefined;
  unread?: readonly string[] | undefined;
  /** Lines about what has to be done elsewhere before. */
  waits?: readonly Sentence[] | undefined;
  /** The tasks of a plan, where the answer is about the present. */
  tasks?: PlanTasks | undefined;
  /** Lines about proof that is of other files than those of now. */
  stale?: readonly Sentence[] | undefined;
  /** When the answer is read: a claim that is over by then is not told. Without it every claim is. */
  now?: string | undefined;
  /** Tells whether a packet's dispatcher runs, where the answer is about the present. */
  dispatcher?: LookForDispatcher | undefined;
  timeText?: TimeText | undefined;
  /** The answer has the steps, gates and conflicts beside the radar, which then says nothing of them a second time. */
  isBeside?: boolean;
}

/**
 * Returns lines for an agent that works on: which file to read because a person changed it since this actor's last
 * change.
 */
export function toRead(entity: Entity, { by, unread = [], timeText = toSecond }: Reader): Sentence[] {
  // The op that went with the reading in was decided without it, so only a later one counts as having looked.
  const seen = ((by !== undefined && entity.acted.get(by)) || 0) - 1;
  const old = unread.includes(SINGLE_FILE_TASKDOC)
    ? [
        phrased`Take in ${SINGLE_FILE_TASKDOC} (taskfold taskdoc import): a Taskdoc of the old form, of which no agent gets the text`,
      ]
    : [];
  const changed = HUMAN_FILES.flatMap((file) => {
    if (unread.includes(file))
      return [phrased`Read ${file}: a person changed it, and no change has read it into the log yet`];
    const { revision, ts } = entity.people[file];
    return ts !== null && revision > 0 && revision >= seen
      ? [phrased`Read ${file}: a person changed it (read in at ${timeText(ts)})`]
      : [];
  });
  return [...old, ...changed];
}

/**
 * Returns the text of each file that people changed, as far as it was read in, as notes without a place. People add to
 * the end of a file.
 */
export function humanNotes(entity: Entity, longest: number): { ts: string; by: string; path: null; text: string }[] {
  return HUMAN_FILES.flatMap((file) => {
    const { content, ts } = entity.people[file];
    if (content === null || ts === null) return [];
    return [{ ts, by: "human", path: null, text: endOf(file, content.trim(), longest) }];
  });
}

function endOf(file: HumanFile, content: string, longest: number): string {
  const all = countCodePoints(content);
  if (all <= longest) return `${file}: ${content}`;
  return `${file} (the end of ${all} characters): ${keepEnd(content, longest)}`;
}
