/** Reads one log and what its evidence keeps, from disk, for statements and for what signatures are worth. */
import { textOf } from "../../sentence.ts";
import { join } from "node:path";
import { MAX_ENVELOPE } from "../../attest/envelope.ts";
import type {
  LogFacts,
  LoggedConfirmation,
  LoggedEvidence,
  LoggedOp,
  LoggedSignature,
  LoggedStep,
} from "../../attest/log_facts.ts";
import type { CapturedItem } from "../../events/evidence.captured.ts";
import { blobRef, derivedId, evidenceCaptured } from "../../events/evidence.captured.ts";
import { foldLog } from "../../fold_log.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { headDigest } from "../../log/canonical.ts";
import { bytesSource } from "../../log/source.ts";
import type { Event, Op } from "../../log/types.ts";
import { counted } from "../../state/counted.ts";
import type { Staleness } from "../../state/staleness.ts";
import { scopeOf } from "../../state/staleness.ts";
import { degreeOfRun } from "../../state/degree.ts";
import { failedRuns, isProvedByPacket, proofsAmong } from "../../state/checkpoint.ts";
import type { Checkpoint, Entity, Link, ProofCheckpoint, Step } from "../../state/entity.ts";
import { CHECKPOINTS, PROOF_CHECKPOINTS } from "../../state/entity.ts";
import { pathOf, preOrder } from "../../state/tree.ts";
import { checkEntry } from "../../views/evidence_check.ts";
import type { Look } from "../../views/evidence_check.ts";
import type { EngineContext } from "../core/context.ts";
import type { TreeLook } from "../core/tree_look.ts";
import { lookAtFiles } from "../core/evidence_files.ts";
import { EntityFiles } from "../entity/entity_files.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { folderOf, relativeFolder, wholeLog } from "../entity/entity_on_disk.ts";

/** Undefined where the folder has no log that can be read. `workspace`: the id that the root goes by. `tree`: also whether runs are stale. */
export function logFacts(
  context: EngineContext,
  place: EntityLocation,
  workspace: string,
  tree?: TreeLook,
): LogFacts | undefined {
  const folder = folderOf(context, place);
  const bytes = wholeLog(context.disk, join(folder, LOG_FILE));
  if (!bytes) return undefined;
  const { entity, fold, report, gathered } = foldLog(bytesSource(bytes), {
    checkHash: "canonical",
    start: () => new Gathered(),
    each: (op, folding, all) => all.take(op, folding.entity),
  });
  if (!entity) return undefined;
  const without = new Set(fold.noEffect.map(({ hash }) => hash));
  const items = gathered.items.filter(({ event }) => !without.has(event.hash));
  const files = new EntityFiles(context.disk, folder, relativeFolder(place));
  const look: Look = { ...lookAtFiles(context, folder), commit: () => null };
  return {
    workspace,
    id: place.id,
    kind: entity.kind,
    title: entity.title,
    plan: entity.parent ? { id: entity.parent.id, root: entity.parent.root } : null,
    root: entity.root,
    heads: report.heads,
    head: headDigest(report.heads),
    ops: gathered.ops,
    steps: [...preOrder(entity.children)].map((step) => loggedStep(step, gathered)),
    evidence: items.map((item) => {
      const { captured } = item.item;
      const on = entity.steps.get(item.event.payload["step_id"] as string) ?? null;
      const stale = tree && captured && whyStale(tree.since(folder, captured, scopeOf(entity, on)));
      return { ...loggedEvidence(entity, item, look), ...(stale === undefined ? {} : { stale }) };
    }),
    signatures: signaturesOf(items, files),
    ...(tree ? { since: (git_commit) => whyStale(tree.since(folder, { git_commit }, scopeOf(entity, null))) } : {}),
  };
}

interface Item {
  event: Event;
  op: number;
  at: number;
  item: CapturedItem;
  aside: number[];
}

/** Gathers the values of each op while the log is folded. */
class Gathered {
  readonly ops: LoggedOp[] = [];
  readonly items: Item[] = [];
  /** The last confirmations of each step, by its id. */
  readonly confirmed = new Map<string, Map<Checkpoint, LoggedConfirmation>>();
  /** When the mode of each step was `attested`, by its id. */
  readonly attested = new Map<string, { checkpoint: ProofCheckpoint; from: number; to?: number }[]>();

  take(op: Op, entity: Entity | null): void {
    const place = this.ops.length;
    const types = op.events.map(({ type }) => type);
    const packet = types.some((type) => /^(?:packet|stage)\./.test(type)) ? { packet: true as const } : {};
    const signature = op.events.every(isSignature) ? { signature: true as const } : {};
    this.ops.push({ last: op.last, prev: op.events[0]!.prev, ...packet, ...signature });
    for (const event of op.events) {
      if (event.type !== evidenceCaptured.type || !evidenceCaptured.fits(event.payload)) continue;
      const { items, supersedes = [] } = event.payload as { items: CapturedItem[]; supersedes?: string[] };
      for (const id of supersedes) for (const one of this.items) if (idsOf(one).includes(id)) one.aside.push(place);
      items.forEach((item, at) => this.items.push({ event, op: place, at, item, aside: [] }));
    }
    if (entity) this.#steps(op, entity, place);
  }

  #steps({ events }: Op, entity: Entity, place: number): void {
    const { by, ts, payload, type } = events.at(-1)!;
    const named = payload["step_id"];
    // An op that undoes or completes may change any step.
    const isOne = type.startsWith("step.") && typeof named === "string" && events.length === 1;
    const one = isOne ? entity.steps.get(named) : undefined;
    for (const { id, confirmed, proof } of one ? [one] : entity.steps.values()) {
      this.#modes(id, proof, place);
      const known = this.confirmed.get(id) ?? new Map<Checkpoint, LoggedConfirmation>();
      this.confirmed.set(id, known);
      for (const checkpoint of CHECKPOINTS) {
        if (!confirmed[checkpoint]) known.delete(checkpoint);
        else if (!known.has(checkpoint)) known.set(checkpoint, { checkpoint, by, ts });
      }
    }
  }

  #modes(id: string, proof: Step["proof"], place: number): void {
    const known = this.attested.get(id) ?? [];
    this.attested.set(id, known);
    for (const checkpoint of PROOF_CHECKPOINTS) {
      const last = known.findLast((one) => one.checkpoint === checkpoint && one.to === undefined);
      const isNow = proof[checkpoint] === "attested";
      if (isNow && !last) known.push({ checkpoint, from: place });
      else if (!isNow && last) last.to = place;
    }
  }
}

function isSignature({ type, payload }: Event): boolean {
  if (type !== evidenceCaptured.type || !evidenceCaptured.fits(payload) || payload["supersedes"] !== undefined)
    return false;
  return payload["step_id"] === null && (payload["items"] as CapturedItem[]).every(({ attestation }) => attestation);
}

function idsOf({ event, at, item }: Item): string[] {
  const derived = derivedId(item, event.hash, at, event.payload["long_ids"] === true);
  return item.evidence_id === undefined ? [derived] : [item.evidence_id, derived];
}

function loggedStep(step: Step, { confirmed, attested }: Gathered): LoggedStep {
  const titles: string[] = [];
  for (let one: Step | null = step; one; one = one.parent) titles.unshift(one.title);
  const modes = PROOF_CHECKPOINTS.filter((c) => step.proof[c] !== "off");
  return {
    step_id: step.id,
    path: pathOf(step),
    titles,
    success_criteria: step.success_criteria,
    tests: step.tests,
    proof: Object.fromEntries(modes.map((c) => [c, step.proof[c]])),
    attested: attested.get(step.id) ?? [],
    done: step.done,
    done_by: step.done_by,
    ...(step.packet ? { packet: isProvedByPacket(step) } : {}),
    confirmed: [...(confirmed.get(step.id)?.values() ?? [])],
  };
}

function loggedEvidence(entity: Entity, one: Item, look: Look): LoggedEvidence {
  const { event, at, op, item, aside } = one;
  const { payload, by, ts } = event;
  const { command, cwd, test, exit_code, counts, captured } = item;
  const id = idsOf(one)[0]!;
  const linked = payload["checkpoints"] as Checkpoint[];
  const checkpoints = test === undefined ? linked : [...new Set<Checkpoint>([...linked, "tests"])];
  const step_id = payload["step_id"] as string | null;
  const step = step_id === null ? undefined : entity.steps.get(step_id);
  const { argv, git_commit, tree, changes, checkout } = captured ?? {};
  const run = captured && {
    argv: argv!,
    ...(git_commit === undefined ? {} : { git_commit }),
    ...(tree === undefined ? {} : { tree }),
    ...(changes === undefined ? {} : { changes: changes.sha256 }),
    ...(checkout === undefined ? {} : { checkout }),
  };
  const degree = degreeOfRun(
    { by, ...(captured && exit_code !== undefined ? { degree: checkout ? "repeated" : "captured" } : {}) },
    step?.done_by,
  );
  const broken = whyBroken(entity, one, look);
  const isIt = (link: Link): boolean => link.op === op && idsOf(one).includes(link.evidence);
  const linkedTo = step ? CHECKPOINTS.filter((c) => step.linked[c].some(isIt)) : [];
  const proves = linkedTo.filter((c) => proofsAmong(step!.linked[c]).some(isIt));
  const signed = linkedTo.some((c) => step!.linked[c].some((link) => isIt(link) && link.signed === true));
  const failing = linkedTo.some((c) => failedRuns(step!.linked[c]).some(isIt));
  return {
    event: event.hash,
    item: at,
    id,
    op,
    by,
    ts,
    step_id,
    checkpoints,
    counts,
    degree,
    proves,
    signed,
    failing,
    aside,
    ...(command === undefined ? {} : { command }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(test === undefined ? {} : { test }),
    ...(exit_code === undefined ? {} : { exit_code }),
    ...(run ? { captured: run } : {}),
    kept: keptOf(item),
    ...(broken === undefined ? {} : { broken }),
  };
}

function whyStale(found: Staleness): string | undefined {
  if (found.is === "unknown") return found.why.text;
  if (found.is === "unasked") return "there is no git here to compare with";
  if (found.is === "fresh") return undefined;
  const [first] = found.paths;
  return `${counted(found.paths.length, "file")} changed since, such as ${first}`;
}

function keptOf({ stdout, stderr, diff, content, captured, attestation }: CapturedItem): string[] {
  const all = [stdout, stderr, diff, content, captured?.changes, captured?.wrote, attestation?.envelope];
  return all.flatMap((blob) => (blob ? [blob.sha256] : []));
}

/** Bytes are found by their digests. The other things that an entry names are looked at as `tasks_evidence_verify` does. */
function whyBroken(entity: Entity, one: Item, look: Look): string | undefined {
  for (const sha256 of keptOf(one.item)) {
    const found = look.file(blobRef(sha256), undefined, sha256);
    if (found.state === "remote") continue;
    if (found.state !== "present") return `${blobRef(sha256)} is not there`;
    if (found.sha256 !== sha256) return `${blobRef(sha256)} has other bytes`;
  }
  const ids = idsOf(one);
  const entry = entity.evidence.find(({ id }) => ids.includes(id));
  const { status, why } = entry ? checkEntry(entity, entry, look) : { status: "unverifiable", why: [] };
  return status === "broken" ? why.map(textOf).join(", ") : undefined;
}

/** A file is read once, however often the log names it. */
function signaturesOf(items: readonly Item[], files: EntityFiles): LoggedSignature[] {
  const read = new Map<string, Uint8Array | string>();
  return items.flatMap((one): LoggedSignature[] => {
    const sha256 = one.item.attestation?.envelope.sha256;
    if (sha256 === undefined) return [];
    const envelope = read.get(sha256) ?? envelopeIn(files, sha256);
    read.set(sha256, envelope);
    return [{ id: idsOf(one)[0]!, op: one.op, envelope }];
  });
}

function envelopeIn(files: EntityFiles, sha256: string): Uint8Array | string {
  const name = blobRef(sha256).slice(2);
  if (!/^[0-9a-f]{64}$/.test(sha256)) return `${sha256.slice(0, 80)} is no name of bytes`;
  const size = files.fileAt(name) === "file" ? (files.disk.lstat(join(files.folder, name))?.size ?? 0) : 0;
  if (size > MAX_ENVELOPE) return `${blobRef(sha256)} has more than ${MAX_ENVELOPE} bytes`;
  const bytes = files.regularFile(name);
  return Buffer.isBuffer(bytes) ? bytes : `${blobRef(sha256)} is not there`;
}
