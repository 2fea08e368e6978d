import { createHash } from "node:crypto";
import type { Draft } from "../events/define.ts";
import { taskAdopted } from "../events/task.adopted.ts";
import type { ForeignFolder, ForeignTask } from "../state/foreign_entity.ts";
import { FOREIGN_STATUS, foreignGates } from "../state/foreign_entity.ts";
import { agentStateOf } from "../state/roster.ts";
import { newEvidence } from "./new_evidence.ts";

/** The first event of a folder that another program kept, whole (ADOPT-1, ADOPT-2). `id`: the folder's name. */
export function adoptTask(id: string, folder: ForeignFolder, task: ForeignTask): Draft {
  const evidence = newEvidence([], folder.evidence);
  const ids = stepIds(id, task);
  const idOf = (milestone: string): string => ids[task.milestones.findIndex((m) => m.id === milestone)] ?? milestone;
  return taskAdopted.draft({
    title: task.title,
    description: task.description,
    topology: task.topology,
    status: FOREIGN_STATUS[task.state],
    created_at: folder.created,
    updated_at: folder.updated,
    steps: task.milestones.map((m, i) => ({
      id: ids[i]!,
      milestone: m.id,
      title: m.title,
      state: m.state,
      depends_on: m.dependsOn.map(idOf),
    })),
    roster: rosterOf(task, idOf),
    gates: gatesOf(task),
    config: { ...task.config },
    evidence,
    people: folder.people.map((one) => ({ ...one })),
    files: folder.files.map((one) => ({ ...one })),
    ...(folder.extra.length === 0 ? {} : { extra: folder.extra.map((one) => ({ ...one })) }),
    message: `Adopted from another program: ${task.milestones.length} steps, ${task.roster.length} agents, ${evidence.length} evidence entries.`,
  });
}

/** The roster as events carry it. */
export function rosterOf(task: ForeignTask, idOf: (milestone: string) => string = (id) => id) {
  return task.roster.map(({ instance, agent, state, assignedMilestone, skills }) => ({
    instance,
    agent,
    ...agentStateOf(state),
    assigned: assignedMilestone === null ? null : idOf(assignedMilestone),
    skills: [...skills],
  }));
}

/** The gates as events carry them. */
export function gatesOf(task: ForeignTask) {
  return foreignGates(task).map(({ own: _own, ...gate }) => gate);
}

/** Derived, so that two clones give one milestone the same id; nothing keeps milestones from having one id twice. */
function stepIds(folder: string, task: ForeignTask): string[] {
  const taken = new Set<string>();
  return task.milestones.map(({ id }) => {
    for (let n = 0; ; n++) {
      const digest = createHash("sha256")
        .update(JSON.stringify([folder, id, n]))
        .digest("hex");
      const step = `STEP-${digest.slice(0, 8).toUpperCase()}`;
      if (taken.has(step)) continue;
      taken.add(step);
      return step;
    }
  });
}
