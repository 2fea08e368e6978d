/** Checks the options with which a workspace is opened: without types no caller would notice a wrong one (ENG-19). */
import { TaskfoldError } from "../errors.ts";
import { ID_STYLES } from "./core/id_style.ts";
import { LOCK_KINDS } from "./locks/machine_locks.ts";
import { describeValue } from "./core/input/must_be_text.ts";
import { checkNamed, FUNCTION, MILLISECONDS, OBJECT, oneOf, TEXT } from "./core/input/named_options.ts";
import type { Expected } from "./core/input/named_options.ts";
import type { MachineOptions, ReaderOptions, WorkspaceOptions } from "./workspace_options.ts";
import { DURABILITIES, PROJECTIONS } from "./core/context.ts";

const OPTIONS: Record<keyof WorkspaceOptions, Expected> = {
  root: TEXT,
  workspace: TEXT,
  rootSearchedFrom: TEXT,
  by: TEXT,
  durability: oneOf(...DURABILITIES),
  projections: oneOf(...PROJECTIONS),
  lockTimeoutMs: MILLISECONDS,
  entitiesInMemory: {
    fits: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
    words: "a whole number from 0",
  },
  lock: oneOf(...LOCK_KINDS),
  ids: oneOf(...ID_STYLES),
  git: FUNCTION,
  signers: FUNCTION,
  packet: { fits: (value) => typeof value === "object", words: "a configuration as readPacketConfig gives it" },
  shared: { fits: (value) => typeof value === "object", words: "a log as jetstream of taskfold/jetstream gives it" },
  telemetry: { fits: (value) => typeof value === "object", words: "what otel of taskfold/otel gives" },
};

const MACHINE_OPTIONS: Record<keyof MachineOptions, Expected> = {
  runtime: OBJECT,
  now: FUNCTION,
  newId: FUNCTION,
  disk: OBJECT,
  lockProvider: FUNCTION,
};

const { root, workspace, by, entitiesInMemory, git, packet, telemetry } = OPTIONS;
const READER_OPTIONS: Record<keyof ReaderOptions, Expected> = {
  root,
  workspace,
  by,
  entitiesInMemory,
  git,
  packet,
  telemetry,
};
const { runtime, now, disk } = MACHINE_OPTIONS;

/** Options of `openWorkspace` and `openReader`, and those of the same of `taskfold/testing`. */
export const OPENINGS = {
  plain: OPTIONS,
  testing: { ...OPTIONS, ...MACHINE_OPTIONS },
  reader: READER_OPTIONS,
  readerTesting: { ...READER_OPTIONS, runtime, now, disk },
};

/** INVALID_INPUT for a name that is none, and for a value that would be taken for another. `null` is as good as none. */
export function checkOpening(
  options: WorkspaceOptions,
  known: Readonly<Record<string, Expected>> = OPTIONS,
  opening: keyof typeof EXAMPLES = "openWorkspace",
): void {
  checkNamed(opening, options, known, EXAMPLES[opening]);
  // The one that has no default.
  if (!TEXT.fits(options.root))
    throw refusedAs(`Expected root to be text, found ${describeValue(options.root)}.`, opening);
}

/** Times of events have a year of four digits; claims reach a year ahead at most. */
const FIRST_MS = Date.UTC(1970, 0, 1);
const END_MS = Date.UTC(9998, 0, 1);

/** The caller's clock, whose times fit an event: INVALID_INPUT says what it gave otherwise. */
export function checkedClock(now: () => number): () => number {
  return () => {
    const ms: unknown = now();
    if (typeof ms === "number" && ms >= FIRST_MS && ms < END_MS) return ms;
    throw refusedAs(
      `Expected now to give milliseconds since 1970 of a year before 9998, found ${describeValue(ms)}.`,
      "openWorkspace",
    );
  };
}

const EXAMPLES = {
  openWorkspace: 'openWorkspace({ root: ".", durability: "fsync" })',
  openReader: 'openReader({ root: "." })',
};

function refusedAs(message: string, opening: keyof typeof EXAMPLES): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", message, { recovery: `For example: ${EXAMPLES[opening]}.` });
}
