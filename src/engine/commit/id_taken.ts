import { TaskfoldError } from "../../errors.ts";

export function idTaken(id: string): TaskfoldError {
  return new TaskfoldError("ID_TAKEN", `Expected the folder name ${id} to be free, found something of that name.`, {
    recovery: "Give another id.",
  });
}
