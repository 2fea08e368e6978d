/**
 * Ids of new entities. Call while holding the workspace lock. Numbers in the archive count: an id is never given twice on
 * one machine. Between branches only `suffixed` ids are safe (TOOL rules).
 */
import { TaskfoldError } from "../../errors.ts";
import type { Kind } from "../../state/entity.ts";
import { checkId } from "../../state/ids.ts";
import type { IdStyle } from "../core/id_style.ts";
import type { EntityNames } from "./entity_names.ts";
import type { Store } from "../entity/store.ts";
import type { EngineContext } from "../core/context.ts";
import type { LeftOut } from "../core/sparse_checkout.ts";
import { namesLeftOut } from "../core/sparse_checkout.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

const PREFIX: Record<Kind, string> = { plan: "PLAN", task: "TASK" };
const SUFFIX_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";

/** The id that a caller wants, if it is free also in another case and in the archive; without one the next of its kind. */
export function newEntityId(
  { disk, layout, newId }: Pick<EngineContext, "disk" | "layout" | "newId">,
  store: Store,
  names: EntityNames,
  kind: Kind,
  style: IdStyle,
  wanted: string | undefined,
): string {
  if (wanted !== undefined) return checkFree(store, names, wanted);
  for (;;) {
    // A suffixed id differs by its four letters, whatever number it has.
    if (style === "sequential" && isAnyWhole(names.leftOut)) throw namesLeftOut(names.leftOut);
    const id = nextId(names.newest(kind).number + 1, kind, style, newId);
    if (!disk.lstat(layout.folder(id)) && !disk.lstat(layout.archived(id))) return id;
    names.forget();
    names.look("numbers");
  }
}

function checkFree(store: Store, names: EntityNames, wanted: string): string {
  checkId(wanted);
  const left = names.leftOut;
  if (isAnyWhole(left)) throw namesLeftOut(left);
  const isLeftOut = (id: string): boolean => id.toLowerCase() === wanted.toLowerCase();
  const hidden = [...left.tasks.ids.keys(), ...left.archive.ids.keys()].find(isLeftOut);
  const there = [wanted, ...names.spellingsOf(wanted)].find((id) => store.has(id) || store.hasArchived(id));
  const twin = there ?? hidden;
  if (twin === undefined) {
    if (store.wentAway.reported().some(isLeftOut)) throw takenByGone(wanted);
    return wanted;
  }
  const how = there === undefined ? "is in git, and a sparse checkout leaves it out" : "is there";
  throw new TaskfoldError(
    "ID_TAKEN",
    `Expected an id that is free, also in another case and in the archive; ${twin} ${how}.`,
    { recovery: "Give another id, or leave it out and one is made.", details: { taken: twin } },
  );
}

/** It was acknowledged here, and its folder is gone (VERIFY-106). */
function takenByGone(id: string): TaskfoldError {
  return new TaskfoldError("ID_TAKEN", `Expected an id that is free; ${id} was given here, and its folder is gone.`, {
    ...remedy`${TASKFOLD} resolve ${id} --git brings it back; ${TASKFOLD} resolve ${id} --accept-gap gives up what it held, and frees the id.`,
    details: { taken: id },
  });
}

function isAnyWhole({ tasks, archive }: LeftOut): boolean {
  return tasks.isWhole || archive.isWhole;
}

function nextId(number: number, kind: Kind, style: IdStyle, random: () => string): string {
  const id = `${PREFIX[kind]}-${String(number).padStart(3, "0")}`;
  return style === "suffixed" ? `${id}-${suffix(random())}` : id;
}

/** Four characters of base 36 from random hexadecimal digits. */
function suffix(hex: string): string {
  let n = Number.parseInt(hex.slice(0, 12), 16);
  let text = "";
  for (let i = 0; i < 4; i++) {
    text += SUFFIX_ALPHABET[n % 36];
    n = Math.floor(n / 36);
  }
  return text;
}
