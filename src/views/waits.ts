import type { Find, IsLeftOut } from "../state/depends.ts";
import { openDependencies } from "../state/depends.ts";
import { hasEnded } from "../state/ended.ts";
import type { Entity, IdOf } from "../state/entity.ts";
import { shownStatus } from "../state/status.ts";
import { phrased } from "../sentence.ts";
import type { Sentence } from "../sentence.ts";
import { piece } from "./lines.ts";

const LEFT_OUT = "left out by a sparse checkout";

/** Lines about what has to be DONE before this entity is ready; none once it has ended (VIEW-7). */
export function waitsOf(entity: Entity, find: Find, idOf: IdOf, isLeftOut: IsLeftOut = () => false): Sentence[] {
  if (hasEnded(entity)) return [];
  return openDependencies(entity, find).map((ref) => {
    const other = find(ref);
    const id = idOf(ref);
    if (!other) return phrased`Waits for ${id} (${isLeftOut(ref) ? LEFT_OUT : "not here"})`;
    if (other.entity.deleted) return phrased`Waits for ${id} (${"deleted"})`;
    return phrased`Waits for ${id} (${shownStatus(other)}: ${piece(other.entity.title)})`;
  });
}
