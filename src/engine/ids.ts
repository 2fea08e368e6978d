/**
 * Ids of new entities. Call while holding the workspace lock. Numbers in the archive count: an id is never given twice on
 * one machine. Between branches only `suffixed` ids are safe (TOOL rules).
 */
import { TaskfoldError } from "../errors.ts";
import type { Kind } from "../state/entity.ts";
import { checkId } from "../state/ids.ts";
import type { IdStyle } from "./binding.ts";
import type { Store } from "./store.ts";

const PREFIX: Record<Kind, string> = { plan: "PLAN", task: "TASK" };
const PATTERN: Record<Kind, RegExp> = { plan: /^PLAN-(\d{1,9})(?:-|$)/i, task: /^TASK-(\d{1,9})(?:-|$)/i };
const SUFFIX_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";

/** The id with the largest number so far: the one that a creation cut off by a crash may have taken. */
export function newestId(store: Store, kind: Kind): string | undefined {
  return store
    .ids()
    .filter((id) => numberOf(id, kind) > 0)
    .toSorted((a, b) => numberOf(b, kind) - numberOf(a, kind))[0];
}

export function newEntityId(
  store: Store,
  kind: Kind,
  style: IdStyle,
  wanted: string | undefined,
  random: () => string,
): string {
  const taken = [...store.ids(), ...store.archivedIds()];
  if (wanted !== undefined) {
    checkId(wanted);
    const twin = taken.find((id) => id.toLowerCase() === wanted.toLowerCase());
    if (twin !== undefined) {
      throw new TaskfoldError(
        "ID_TAKEN",
        `Expected an id that is free, also in another case and in the archive; ${twin} is there.`,
        {
          recovery: "Give another id, or leave it out and one is made.",
          details: { taken: twin },
        },
      );
    }
    return wanted;
  }
  const last = taken.reduce((max, id) => Math.max(max, numberOf(id, kind)), 0);
  const id = `${PREFIX[kind]}-${String(last + 1).padStart(3, "0")}`;
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

/** 12 of TASK-012 and TASK-012-k3f9; 0 of anything else. */
function numberOf(id: string, kind: Kind): number {
  return Number(PATTERN[kind].exec(id)?.[1] ?? 0);
}
