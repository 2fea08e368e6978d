/**
 * The parts of a packet's folder that the log does not have yet, as the events of one op (PACKET-190, PACKET-193 and PACKET-196).
 */
import type { Warning } from "../../errors.ts";
import type { Draft } from "../../events/define.ts";
import { packetInputSet } from "../../events/packet.input_set.ts";
import { packetImported } from "../../events/packet.imported.ts";
import { packetOverrideSet } from "../../events/packet.override_set.ts";
import { stageImported } from "../../events/stage.imported.ts";
import { toSecond } from "../../to_second.ts";
import { sortedJson } from "../../state/json.ts";
import type { Failure, Manifest, Packet, PacketFile, Signature, StageFile } from "../../state/packet.ts";
import { attemptsOf, openAttempts, stageFile } from "../../state/packet.ts";
import type { PlanConfig } from "../../state/packet_config.ts";
import { currentFailure } from "../../state/packet_next.ts";
import type { NotTaken, Taken } from "../../state/packet_taken.ts";
import { counted } from "../../state/counted.ts";
import { sentence } from "../phrase.ts";
import type { DefineSubject, Defined } from "./define_packet.ts";
import { definePacket } from "./define_packet.ts";
import { stageRunning } from "./packet_of.ts";
import { resolvePlan } from "./plan.ts";
import { redactorOf } from "./redact.ts";
import { setInput, setInputs } from "./set_input.ts";
import { textFile } from "./text_file.ts";
import { stageReopened } from "../../events/stage.reopened.ts";

/** A run of which the folder tells, by its meta.json or by what it left. */
export interface ForeignRun {
  stage: string;
  exit_code: number | null;
  model: string | null;
  start: string | null;
  end: string | null;
  duration_sec: number | null;
  prompt_sha256: string | null;
  /** `path`: where it was found. */
  files: { kind: StageFile; path: string; text: string }[];
}

/** A folder that was read and checked; the runs of a stage stand in their order. Times are those of the log. */
export interface ForeignPacket {
  manifest: Manifest;
  inputs: { path: string; text: string }[];
  /** `at` null: the marker says no time. */
  markers: { stage: string; at: string | null }[];
  runs: ForeignRun[];
  paid_calls_used: number | null;
  signatures: Record<string, Signature> | null;
  last_failure: Omit<Failure, "normalized"> | null;
  override: string[] | null;
  /** Whether the file of the override is there, whatever it holds. */
  has_override: boolean;
  /** The stages that `stats.json` names; null: it names none, or is not there. */
  stages_completed: string[] | null;
}

export interface Import {
  drafts: Draft[];
  contents: { path: string; bytes: Uint8Array }[];
  took: Taken;
  /** The parts that stay outside, and why. */
  left: NotTaken[];
  warnings: Warning[];
}

const NOTHING_NEW: Defined = { drafts: [], warnings: [] };
const NOTHING_GONE: Removals = { drafts: [], removed: [], left: [] };

interface ImportOptions {
  config: PlanConfig;
  now: string;
  /** The folder is that of the packet itself, so its outputs are in their places. */
  own: boolean;
  /** Files that are there and could not be read. */
  unread: ReadonlySet<string>;
  /** A crash may have lost files of the folder. */
  behind: boolean;
}

export function importPacket(
  subject: DefineSubject,
  from: ForeignPacket,
  { config, now, own, unread, behind }: ImportOptions,
): Import {
  const { packet } = subject.entity;
  const isKnown = packet !== null && isSameValue(packet.manifest, from.manifest);
  const { drafts: manifest, warnings } = isKnown ? NOTHING_NEW : definePacket(subject, from.manifest, config);
  const inputs = from.inputs.filter(({ path, text }) => isNewInput(packet, path, text));
  const planned = stagesOf(packet, from.manifest, config, manifest.length > 0);
  const stages = new Stages(packet, from, { planned, now, own });
  const counts = folderCounts(packet, from, planned);
  const removals = own && packet ? importRemovals(packet, from, { unread, behind }) : NOTHING_GONE;
  const [open] = openAttempts(packet);
  const more = [...manifest, ...stages.drafts, ...counts.drafts, ...removals.drafts];
  if (open && more.some(({ type }) => type !== packetInputSet.type)) throw stageRunning(subject, open);
  const drafts = [
    ...manifest,
    ...setInputs({ manifest: from.manifest, inputs: packet?.inputs ?? [] }, inputs, "import"),
    ...stages.drafts,
    ...counts.drafts,
    ...removals.drafts,
  ];
  return {
    drafts,
    contents: stages.contents,
    took: {
      manifest: manifest.length > 0,
      inputs: inputs.map(({ path }) => `inputs/${path}`),
      stages: stages.taken,
      outputs: stages.contents.map(({ path }) => path),
      ...counts.took,
      removed: removals.removed,
    },
    left: [...stages.left, ...counts.left, ...removals.left, ...(own ? [] : countedOtherwise(from, planned))],
    warnings,
  };
}

export function isSameValue(one: unknown, other: unknown): boolean {
  return sortedJson(one) === sortedJson(other);
}

function isNewInput(packet: Packet | null, path: string, text: string): boolean {
  return packet?.inputs.find((one) => one.path === path)?.text !== text;
}

function stagesOf(
  packet: Packet | null,
  manifest: Manifest,
  config: PlanConfig,
  changed: boolean,
): Map<string, string> {
  const resolved = packet && !changed ? { plan: packet.plan } : resolvePlan(manifest, config);
  const stages = "plan" in resolved ? resolved.plan.stages : [];
  return new Map(stages.map(({ stage, model }) => [stage, model]));
}

interface StagesIn {
  planned: ReadonlyMap<string, string>;
  now: string;
  own: boolean;
}

/** The attempts and markers that the log does not have. */
class Stages {
  readonly drafts: Draft[] = [];
  readonly contents: { path: string; bytes: Uint8Array }[] = [];
  readonly taken: Taken["stages"] = [];
  readonly left: Import["left"] = [];
  readonly #masked: (text: string) => string;

  constructor(packet: Packet | null, from: ForeignPacket, { planned, now, own }: StagesIn) {
    const { redact } = redactorOf(from.manifest.security);
    this.#masked = (text) => redact(text).text;
    const marked = new Map(from.markers.map(({ stage, at }) => [stage, at ?? now]));
    const names = [...new Set([...planned.keys(), ...marked.keys(), ...from.runs.map(({ stage }) => stage)])];
    for (const stage of names) {
      const isKnown = packet && attemptsOf(packet, stage).length > 0;
      const runs = isKnown ? [] : from.runs.filter((one) => one.stage === stage);
      const run = runs.at(-1);
      const done_at = packet?.done[stage] === undefined ? (marked.get(stage) ?? null) : null;
      if (run === undefined && done_at === null) continue;
      const model = planned.get(stage);
      if (model === undefined) {
        this.left.push({ path: `done/${stage}.done`, reason: "the plan has no such stage" });
        continue;
      }
      for (const [n, earlier] of runs.slice(0, -1).entries())
        this.#take(stage, { done_at: null, run: earlier, model: earlier.model ?? model, own, attempt: n + 1 });
      this.#take(stage, { done_at, run, model: run?.model ?? model, own });
      this.taken.push({ stage, done_at, ran: run !== undefined });
    }
  }

  /** `attempt`: of an earlier one; its files lie under its number, and its event names them as the events of attempts do. */
  #take(
    stage: string,
    {
      done_at,
      run,
      model,
      own,
      attempt,
    }: { done_at: string | null; run: ForeignRun | undefined; model: string; own: boolean; attempt?: number },
  ): void {
    const files: Partial<Record<StageFile, PacketFile>> = {};
    for (const { kind, path: from, text } of run?.files ?? []) {
      const masked = this.#masked(text);
      const { file, bytes } = textFile(stageFile(stage, kind), masked);
      const path = stageFile(stage, kind, attempt);
      files[kind] = file;
      if (!own || masked !== text || path !== from) this.contents.push({ path, bytes });
    }
    const ran = run !== undefined;
    this.drafts.push(
      stageImported.draft({
        stage,
        done_at,
        ran,
        exit_code: run?.exit_code ?? null,
        model,
        start: run?.start ?? null,
        end: run?.end ?? null,
        duration_sec: run?.duration_sec ?? null,
        prompt_sha256: run?.prompt_sha256 ?? null,
        files,
        long_ids: true,
        message: sentence(
          `Took in stage ${stage}, ${done_at === null ? "not done" : "done"}, as another program left it`,
        ),
      }),
    );
  }
}

/** Returns the counts of the folder: they hold where they differ from what the log counts. */
function folderCounts(
  packet: Packet | null,
  from: ForeignPacket,
  planned: ReadonlyMap<string, string>,
): {
  drafts: Draft[];
  took: Pick<Taken, "override" | "paid_calls_used" | "signatures" | "last_failure">;
  left: Import["left"];
} {
  const used = from.paid_calls_used === (packet?.paid_calls_used ?? 0) ? null : from.paid_calls_used;
  const signatures = newSignatures(packet?.signatures ?? {}, from.signatures);
  const unknown = from.last_failure !== null && !planned.has(from.last_failure.stage);
  const failure = unknown ? null : newFailure(packet, from.last_failure);
  const override =
    from.override !== null && sortedJson(from.override) !== sortedJson(packet?.override) ? from.override : null;
  const counts = used !== null || signatures !== null || failure !== null;
  const message = sentence(`Took in what another program counted: ${counted(from.paid_calls_used ?? 0, "paid call")}`);
  return {
    drafts: [
      ...(override === null
        ? []
        : [
            packetOverrideSet.draft({
              commands: override,
              run: null,
              message: "Took in the commands that verify the work.",
            }),
          ]),
      ...(counts ? [packetImported.draft({ paid_calls_used: used, signatures, last_failure: failure, message })] : []),
    ],
    took: {
      override,
      paid_calls_used: used,
      signatures: signatures === null ? null : Object.keys(signatures).length,
      last_failure: failure?.stage ?? null,
    },
    left: unknown ? [{ path: "state/last_failure.json", reason: "the plan has no such stage" }] : [],
  };
}

/** The file knows times to the second, so an entry that says the same keeps the times of the log. */
export function newSignatures(
  known: Packet["signatures"],
  given: Record<string, Signature> | null,
): Record<string, Signature> | null {
  if (given === null) return null;
  const merged = Object.entries(given).map(([name, one]): [string, Signature] => {
    const before = known[name];
    return [name, before && isSameSignature(before, one) ? before : one];
  });
  const next = Object.fromEntries(merged);
  return sortedJson(next) === sortedJson(known) ? null : next;
}

function isSameSignature(one: Signature, other: Signature): boolean {
  const text = ({ count, class: kind, first_seen, last_seen }: Signature): string =>
    [count, kind, toSecond(first_seen), toSecond(last_seen)].join(" ");
  return text(one) === text(other);
}

function newFailure(packet: Packet | null, failure: ForeignPacket["last_failure"]): ForeignPacket["last_failure"] {
  if (failure === null) return null;
  const known = packet && currentFailure(packet);
  const isKnown = known ? isSameFailure(known, failure) : false;
  return isKnown || packet?.done[failure.stage] !== undefined ? null : failure;
}

type FailureName = Pick<Failure, "stage" | "signature" | "ts">;

export function isSameFailure(one: FailureName, other: FailureName): boolean {
  return one.stage === other.stage && one.signature === other.signature && toSecond(one.ts) === toSecond(other.ts);
}

// Files that were deleted by hand in a packet's own folder: a marker is the redo command of other programs
// (PACKET-196).
interface Removals {
  drafts: Draft[];
  /** Files that are gone, from the folder on. */
  removed: string[];
  left: NotTaken[];
}

const LOST = "a crash may have lost it; the next change of the task writes it again, and it may be deleted after that";

/**
 * `unread`: what is there and could not be read. A folder without `stats.json` was lost, and no person deleted a part of it. `behind`: a
 * crash may have lost what is missing, so nothing of it is taken away.
 */
function importRemovals(
  packet: Packet,
  from: ForeignPacket,
  { unread, behind }: { unread: ReadonlySet<string>; behind: boolean },
): Removals {
  const all: Removals = { drafts: [], removed: [], left: [] };
  const { stages_completed } = from;
  if (stages_completed === null) return all;
  const gone = (path: string): boolean => !unread.has(path) && !unread.has(path.slice(0, path.lastIndexOf("/")));
  const take = (path: string, drafts: readonly Draft[]): void => {
    if (behind) {
      all.left.push({ path, reason: LOST });
      return;
    }
    all.removed.push(path);
    all.drafts.push(...drafts);
  };
  for (const { path } of packet.inputs) {
    if (from.inputs.some((input) => input.path === path) || !gone(`inputs/${path}`)) continue;
    take(`inputs/${path}`, setInput(packet, path, null, "import"));
  }
  for (const stage of Object.keys(packet.done)) {
    const path = `done/${stage}.done`;
    if (from.markers.some((marker) => marker.stage === stage) || !gone(path)) continue;
    // A crash before the files were written leaves neither; a person who deletes a marker leaves the list.
    if (!stages_completed.includes(stage)) {
      all.left.push({ path, reason: "neither it nor stats.json tells of the stage; taskfold packet reopen opens it" });
      continue;
    }
    const message = sentence(`Reopened stage ${stage}: its marker was deleted`);
    take(path, [stageReopened.draft({ stage, reason: "Its marker was deleted.", message })]);
  }
  const override = "state/acceptance.commands.override";
  if (packet.override !== null && !from.has_override && gone(override)) {
    const message = "The commands of the brief were deleted: those of the manifest count.";
    take(override, [packetOverrideSet.draft({ commands: null, run: null, message })]);
  }
  return all;
}

/** Stages of the plan that only the markers or only `stages_completed` names. The markers count (PACKET-193). */
function countedOtherwise(
  { markers, stages_completed }: ForeignPacket,
  planned: ReadonlyMap<string, string>,
): NotTaken[] {
  if (stages_completed === null) return [];
  const marked = markers.map(({ stage }) => stage);
  const path = "state/stats.json";
  return [
    ...stages_completed
      .filter((stage) => planned.has(stage) && !marked.includes(stage))
      .map((stage) => ({ path, reason: `stages_completed names ${stage}, which has no marker: the stage is open` })),
    ...marked
      .filter((stage) => planned.has(stage) && !stages_completed.includes(stage))
      .map((stage) => ({ path, reason: `stages_completed does not name ${stage}: its marker counts` })),
  ];
}
