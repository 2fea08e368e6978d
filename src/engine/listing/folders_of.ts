/** Names that the folder of a reference may have, live or archived: its id, and that which a split gave the entity since (VIEW-14). */
import { splitSuffix } from "../../log/repair.ts";
import type { Ref } from "../../state/entity.ts";

export function foldersOf({ id, root }: Ref): readonly [string, string] {
  return [id, `${id}-${splitSuffix(root)}`];
}
