/** Quarantines foreign content of a folded file before writing the file anew, and warns (PROJ-13 and PROJ-21). */
import { basename, join } from "node:path";
import type { Warning } from "../../errors.ts";
import { readRegular } from "../../files/atomic.ts";
import { INDEX_FILE, TASK_FILE } from "../../files/layout.ts";
import type { ReplacedFile } from "../../files/replace.ts";
import { RENDERER } from "../../projections/index.ts";
import { TASKDOC_PACKAGE } from "../../state/taskdoc.ts";
import { driftOf } from "./drift.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { headNamed, rendererOf } from "../core/task_yaml_marks.ts";
import { keptName, quarantine } from "../core/quarantine.ts";
import type { EngineContext } from "../core/context.ts";
import { counted } from "../../state/counted.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";
import type { Remedy } from "../../remedy.ts";

/** A file by its name in the folder, what it is to be, and what stood there, if that has to be looked at. */
interface Differing {
  name: string;
  text: string;
  found: ReplacedFile | undefined;
}

/** A text that the log folded to at another moment is not kept. */
export function quarantineReplaced(
  context: EngineContext,
  loaded: LoadedEntity,
  workspace: string,
  files: readonly Differing[],
): Warning[] {
  const others = files.flatMap(({ name, found }) => (found && found.kind !== "file" ? [{ name, found }] : []));
  const texts = files.flatMap(({ name, text, found }) =>
    found?.kind === "file" ? [{ name, text, found: found.bytes }] : [],
  );
  const warnings = others.map(({ name, found }) => keep(context, loaded, name, found));
  if (texts.length === 0) return warnings;
  const own = texts.find(({ name }) => name === TASK_FILE)?.found;
  const taskYaml = (own ?? readRegular(context.disk, join(loaded.folder, TASK_FILE)))?.toString("utf8");
  const { changed, outdated } = driftOf(context.disk, loaded, workspace, texts, taskYaml);
  if (isOfLostEnd(loaded, taskYaml)) {
    for (const { name, found } of changed) quarantine(context, keptName(loaded.id, name), found);
    return warnings;
  }
  for (const { name, found } of changed) warnings.push(keep(context, loaded, name, { kind: "file", bytes: found }));
  for (const { name, found } of outdated) quarantine(context, keptName(loaded.id, name), found);
  if (outdated.length > 0) warnings.push(upgraded(loaded, outdated.length, rendererOf(taskYaml)));
  return warnings;
}

/** LOG_TRUNCATED tells why such files differ: the lines that they were folded from are missing, without any edit (PROJ-21). */
function isOfLostEnd({ entity }: LoadedEntity, taskYaml: string | undefined): boolean {
  const head = headNamed(taskYaml);
  return entity?.lost_ends.some((end) => end.head === head) === true;
}

/**
 * One for all files of an entity: that an upgrade meets them is no news of each, and they need not have been edited.
 */
function upgraded({ id }: LoadedEntity, count: number, theirs: number): Warning {
  const files = counted(count, "file");
  return {
    code: "RENDERER_OLDER",
    message:
      `The files folded from the log of ${id} are of an older release (renderer ${theirs}, this is ${RENDERER}) and are written anew. ` +
      `Their former versions (${files}) are in .coco/registry/quarantine/${id}-*.`,
    recovery: "Nothing is to be done, unless one of them was edited by hand: that edit is there.",
  };
}

function keep(context: EngineContext, loaded: LoadedEntity, name: string, replaced: ReplacedFile): Warning {
  const { id } = loaded;
  const kept = (what: string): string => {
    const path = quarantine(context, keptName(id, name), replaced.bytes);
    return `, and ${what} is in .coco/registry/quarantine/${basename(path)}`;
  };
  const sentences = {
    file: () =>
      `was changed by hand or by another program; it is written anew from the log${kept("what stood there")}.`,
    link: () => `was replaced by a link; it is written anew from the log${kept("where it led")}.`,
    "special file": () => "was replaced by a special file (a pipe, a socket); it is written anew from the log.",
  };
  return {
    code: "PROJECTION_DRIFT",
    message: `${name} of ${id} ${sentences[replaced.kind]()}`,
    ...recoveryOf(id, name, replaced),
  };
}

function recoveryOf(id: string, name: string, { kind, bytes }: ReplacedFile): Remedy {
  const isForeign = name === INDEX_FILE || (name === TASK_FILE && rendererOf(bytes.toString("utf8")) === 0);
  if (kind === "file" && isForeign)
    return remedy`To take in what another program wrote: ${TASKFOLD} adopt ${id} --again. A person makes the change with a tool.`;
  if (kind === "file" && name.startsWith(`${TASKDOC_PACKAGE}/`))
    return remedy`To take in what a person wrote, put it back and run ${TASKFOLD} taskdoc adopt-edits ${id}; agents call change_mind.`;
  if (kind === "file" && /^(?:manifest\.yaml$|inputs\/|state\/|done\/)/.test(name))
    return remedy`To take it in, put it back and run ${TASKFOLD} packet import .coco/tasks/${id}; an agent makes the change with a tool.`;
  return remedy`Make the change with a tool; a file folded from the log is not edited by hand.`;
}
