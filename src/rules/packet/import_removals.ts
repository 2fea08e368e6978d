/** What was deleted by hand in a packet's own folder: a marker is the redo command of other programs (PACKET-287). */
import type { Draft } from "../../events/define.ts";
import { packetOverrideSet } from "../../events/packet.override_set.ts";
import { stageReopened } from "../../events/stage.reopened.ts";
import type { Packet } from "../../state/packet.ts";
import type { NotTaken } from "../../state/packet_taken.ts";
import { sentence } from "../phrase.ts";
import type { ForeignPacket } from "./import_packet.ts";
import { setInput } from "./set_input.ts";

export interface Removals {
  drafts: Draft[];
  /** Files that are gone, from the folder on. */
  removed: string[];
  left: NotTaken[];
}

const LOST = "a crash may have lost it; the next change of the task writes it again, and it may be deleted after that";

/**
 * `unread`: what is there and could not be read. A folder without `stats.json` was lost, and no person deleted a part of it. `behind`: a
 * crash may have lost what is missing, so nothing of it is taken away.
 */
export function importRemovals(
  packet: Packet,
  from: ForeignPacket,
  { unread, behind }: { unread: ReadonlySet<string>; behind: boolean },
): Removals {
  const all: Removals = { drafts: [], removed: [], left: [] };
  const { stages_completed } = from;
  if (stages_completed === null) return all;
  const gone = (path: string): boolean => !unread.has(path) && !unread.has(path.slice(0, path.lastIndexOf("/")));
  const take = (path: string, drafts: readonly Draft[]): void => {
    if (behind) {
      all.left.push({ path, reason: LOST });
      return;
    }
    all.removed.push(path);
    all.drafts.push(...drafts);
  };
  for (const { path } of packet.inputs) {
    if (from.inputs.some((input) => input.path === path) || !gone(`inputs/${path}`)) continue;
    take(`inputs/${path}`, setInput(packet, path, null, "import"));
  }
  for (const stage of Object.keys(packet.done)) {
    const path = `done/${stage}.done`;
    if (from.markers.some((marker) => marker.stage === stage) || !gone(path)) continue;
    // A crash before the files were written leaves neither; a person who deletes a marker leaves the list.
    if (!stages_completed.includes(stage)) {
      all.left.push({ path, reason: "neither it nor stats.json tells of the stage; taskfold packet reopen opens it" });
      continue;
    }
    const message = sentence(`Reopened stage ${stage}: its marker was deleted`);
    take(path, [stageReopened.draft({ stage, reason: "Its marker was deleted.", message })]);
  }
  const override = "state/acceptance.commands.override";
  if (packet.override !== null && !from.has_override && gone(override)) {
    const message = "The commands of the brief were deleted: those of the manifest count.";
    take(override, [packetOverrideSet.draft({ commands: null, run: null, message })]);
  }
  return all;
}

/** Stages of the plan that only the markers or only `stages_completed` names. The markers count (PACKET-288). */
export function countedOtherwise(
  { markers, stages_completed }: ForeignPacket,
  planned: ReadonlyMap<string, string>,
): NotTaken[] {
  if (stages_completed === null) return [];
  const marked = markers.map(({ stage }) => stage);
  const path = "state/stats.json";
  return [
    ...stages_completed
      .filter((stage) => planned.has(stage) && !marked.includes(stage))
      .map((stage) => ({ path, reason: `stages_completed names ${stage}, which has no marker: the stage is open` })),
    ...marked
      .filter((stage) => planned.has(stage) && !stages_completed.includes(stage))
      .map((stage) => ({ path, reason: `stages_completed does not name ${stage}: its marker counts` })),
  ];
}
