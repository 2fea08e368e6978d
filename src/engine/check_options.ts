/** Settings of a workspace as a caller without types may give them: a misspelt one must not count as another (ENG-18). */
import { TaskfoldError } from "../errors.ts";
import { ID_STYLES } from "./binding.ts";
import { LOCK_KINDS } from "./machine_locks.ts";
import type { WorkspaceOptions } from "./workspace.ts";
import { DURABILITIES, PROJECTIONS } from "./world.ts";

const CHOICES = { durability: DURABILITIES, projections: PROJECTIONS, lock: LOCK_KINDS, ids: ID_STYLES } as const;

/** INVALID_INPUT for a setting that is none; null is as good as left out. */
export function checkOptions(options: WorkspaceOptions): void {
  for (const [name, known] of Object.entries(CHOICES) as [keyof typeof CHOICES, readonly string[]][]) {
    const given: unknown = options[name] ?? known[0];
    if (!known.includes(given as string)) throw wrong(name, known.join(" or "), given);
  }
  const wait: unknown = options.lock_timeout_ms ?? 0;
  if (typeof wait !== "number" || !Number.isFinite(wait) || wait < 0)
    throw wrong("lock_timeout_ms", "a number of milliseconds from 0", wait);
}

function wrong(name: string, expected: string, found: unknown): TaskfoldError {
  const shown = typeof found === "string" ? JSON.stringify(found.slice(0, 40)) : String(found).slice(0, 40);
  return new TaskfoldError("INVALID_INPUT", `Expected ${name} to be ${expected}, found ${shown}.`);
}
