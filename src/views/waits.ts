import type { Find, IsLeftOut } from "../state/depends.ts";
import { openDependencies } from "../state/depends.ts";
import { hasEnded } from "../state/ended.ts";
import type { Entity, IdOf } from "../state/entity.ts";
import { shownStatus } from "../state/status.ts";
import { piece } from "./lines.ts";

const LEFT_OUT = "left out by a sparse checkout";

/** Lines about what has to be DONE before this entity is ready; none once it has ended (VIEW-17). */
export function waitsOf(entity: Entity, find: Find, idOf: IdOf, isLeftOut: IsLeftOut = () => false): string[] {
  if (hasEnded(entity)) return [];
  return openDependencies(entity, find).map((ref) => {
    const other = find(ref);
    const found = other
      ? other.entity.deleted
        ? "deleted"
        : `${shownStatus(other)}: ${piece(other.entity.title)}`
      : isLeftOut(ref)
        ? LEFT_OUT
        : "not here";
    return `Waits for ${idOf(ref)} (${found})`;
  });
}
