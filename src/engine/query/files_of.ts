/** The texts of an entity's folded files as they are to be now, whatever stands on disk. */
import { filesToMake } from "../../projections/index.ts";
import { foreignFolder } from "../entities/entities.ts";
import type { ReadAccess } from "../entities/read_model.ts";

/** By path in the entity's folder. UNKNOWN_ID, or LOG_FOREIGN where another program keeps the files. */
export function filesOf(engine: ReadAccess, id: string): Map<string, string> {
  const workspace = engine.binding?.workspace ?? "";
  const { loaded, foreign } = engine.reading().entities.find(workspace, { id, from: "input" });
  if (foreign) throw foreignFolder(loaded.id);
  return filesToMake(loaded.subject(workspace));
}
