// @ts-nocheck -- plain JavaScript on purpose: this file needs nothing but Node, not even this project's types.
/**
 * A second reader of the log by spec/log.md, spec/events.md, spec/undo.md and spec/proof.md. It imports nothing of this
 * project; the authors of the engine wrote it. `node examples/independent_reader.mjs <folder>` prints what `<folder>/events.jsonl` says, as JSON.
 *
 * It leaves out packets (so none proves the tests of a step), the archive, agents, gates, people's texts, and lines of other
 * programs. It also leaves out cards, trace, reports, the Taskdoc, and sources of evidence. The last ones are lost ends, a gap
 * over half an op, repeated keys, and all findings.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
/* ---- Lines (LOG-1 to LOG-5, LOG-15 to LOG-20) ---- */
const sha256 = (data) => createHash("sha256").update(data).digest("base64url");
const isObject = (v) => typeof v === "object" && v !== null && !Array.isArray(v);
const isText = (v) => typeof v === "string";
const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
function canonical(v) {
  if (Array.isArray(v)) return `[${v.map(canonical).join(",")}]`;
  if (!isObject(v)) return JSON.stringify(v);
  const members = Object.keys(v).sort(byText);
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(v[key])}`).join(",")}}`;
}
/** Whether an object is an event of ours; the table of payloads lists its members. */
const isEnvelope = (event) => hasShape(SHAPES["@event"], event) && isPlaced(event);
const isPlaced = ({ op, prev, seq }) =>
  op.n <= op.of && (op.n === 1 || prev.length === 1) && (prev.length > 0 || seq === 1) && prev.every((one, i) => i === 0 || one > prev[i - 1]);

/** Each event once, by hash. Lines of other programs, markers and what is damaged are passed over. */
function readLines(bytes) {
  const events = new Map();
  for (let start = 0; start < bytes.length;) {
    const lf = bytes.indexOf(10, start);
    const end = lf < 0 ? bytes.length : lf;
    const text = bytes.toString("utf8", start, end).replaceAll(/^\ufeff|\r$/g, "");
    start = end + 1;
    if (text.trim() === "" || Buffer.byteLength(text) > 2 * 1024 * 1024) continue;
    let value;
    try {
      value = JSON.parse(text);
    } catch {
      continue;
    }
    // An event of a newer release has its place in the order, and no effect here (LOG-15).
    if (!isObject(value) || !KINDS.count(value.v) || !isEnvelope(value)) continue;
    const { hash, ...rest } = value;
    if (sha256(canonical(rest)) === hash) events.set(hash, value);
  }
  return events;
}
/* ---- Ops and their order (LOG-6 to LOG-14) ---- */
const earlier = (a, b) => byText(a.events[0].ts, b.events[0].ts) || byText(a.hash, b.hash);
const hasSeen = (op, { index }) => ((op.seen >> BigInt(index)) & 1n) === 1n;
const push = (lists, key, item) => lists.set(key, [...(lists.get(key) ?? []), item]);

/** Ops in effect of the folder's own entity, in replay order, each with the indexes of its ancestors as bits. */
function orderOps(events) {
  const followers = new Map();
  for (const event of events.values()) if (event.op.n > 1) push(followers, event.prev[0], event);
  const goesOn = (a, b) => b.op.n === a.op.n + 1 && b.op.id === a.op.id && b.op.of === a.op.of && b.seq === a.seq + 1;
  const ops = new Map();
  for (const first of events.values()) {
    if (first.op.n !== 1) continue;
    const chain = [first];
    while (chain.length < first.op.of) {
      const next = (followers.get(chain.at(-1).hash) ?? []).filter((e) => goesOn(chain.at(-1), e));
      if (next.length === 0) break;
      chain.push(next.reduce((a, b) => (b.hash < a.hash ? b : a)));
    }
    const last = chain.at(-1).hash;
    if (chain.length === first.op.of && isLinked(first, events))
      ops.set(last, { hash: first.hash, last, events: chain, parents: [], children: [], root: null });
  }
  return inRuns(takeEffect(ops));
}

/** LOG-9. */
function isLinked({ prev, seq }, events) {
  const named = prev.flatMap((hash) => events.get(hash) ?? []);
  if (named.some(({ op }) => op.n < op.of)) return false;
  const depth = 1 + Math.max(0, ...named.map((e) => e.seq));
  return named.length === prev.length ? seq === depth : seq >= depth;
}

/** Lets ops take effect from the roots on, then past gaps that the folder's own entity declared (LOG-12 to LOG-14). */
function takeEffect(ops) {
  const roots = [...ops.values()].filter((op) => op.events[0].prev.length === 0).sort(earlier);
  const open = new Map([...ops.values()].map((op) => [op, op.events[0].prev.length]));
  const waiting = new Map();
  for (const op of ops.values()) for (const hash of op.events[0].prev) push(waiting, hash, op);
  const gaps = [];
  const free = (hash, parents, ready) => {
    for (const op of waiting.get(hash) ?? []) {
      for (const parent of parents) if (!op.parents.includes(parent)) op.parents.push(parent);
      open.set(op, open.get(op) - 1);
      if (open.get(op) === 0) ready.push(op);
    }
    waiting.delete(hash);
  };
  for (const ready = [...roots]; ready.length > 0;) {
    for (let op = ready.pop(); op; op = ready.pop()) {
      const root = op.parents[0]?.root ?? op;
      if (op.parents.some((parent) => parent.root !== root)) continue;
      op.root = root;
      for (const parent of op.parents) parent.children.push(op);
      if (root === roots[0]) gaps.push(...op.events.filter((e) => e.type === "log.gap").map((e) => [op, e.payload.void]));
      free(op.last, [op], ready);
    }
    const declared = new Map();
    for (const [op, lost] of gaps) for (const hash of new Set(Array.isArray(lost) ? lost.filter(isText) : [])) push(declared, hash, op);
    for (const [hash, by] of declared) free(hash, by, ready);
  }
  return roots[0];
}
function inRuns(root) {
  const order = [];
  const left = new Map();
  for (const stack = root ? [root] : []; stack.length > 0;) {
    const op = stack.pop();
    op.index = order.push(op) - 1;
    op.seen = op.parents.reduce((bits, { seen, index }) => bits | seen | (1n << BigInt(index)), 0n);
    const ready = op.children.filter((child) => {
      left.set(child, (left.get(child) ?? child.parents.length) - 1);
      return left.get(child) === 0;
    });
    stack.push(...ready.sort((a, b) => earlier(b, a)));
  }
  return order;
}
/* ---- Payloads (EVENT-43) ---- */
const words = (line) => line.split(" ");
const each = (keys, of) => Object.fromEntries(words(keys).map((key) => [key, of]));
const CHECKPOINTS = words("criteria tests security perf docs");
const NODE_LISTS = words("success_criteria next_steps blockers dependencies problems risks");

/**
 * One entry for each type; `!` before those that cannot be undone. A member alone is text; `?` may be missing, `*` is a list.
 * Otherwise it is `int`, `flag`, `any`, `object`, `null`, a kind of id, or with `@` an object of an entry below. `/` separates
 * alternatives.
 */
const SHAPES = Object.fromEntries(
  `card.added card_id:CARD stage:'frame/'hypothesis/'test/'evidence/'decision title text status tags* supports*:CARD; plan.updated doc? steps?* current?:int
contract.updated contract?:text/null contract_data?:any; step.defined step_id:STEP title? success_criteria?* tests?* blockers?* depends_on?* packet?:flag proof?:@proof confirm?:@eyes files?*
!evidence.captured step_id:STEP/null checkpoints*:@c items*:@item long_ids?:flag supersedes?* reason?; !task.readopted title? description? config?:@config updated_at @taken; trace.added text
!foreign.adopted hashes*; !log.gap void*; plan.edited patch:@patch; task.completed reason?; !task.deleted; task.edited patch:@patch; task.reopened reason
gate.approved gateId; !lease.released step_id:STEP/null claim?:@claim/null reason?; step.blocked step_id:STEP reason:text/null; !task.node_deleted step_id:STEP node_id:NODE
gate.blocked gateId reason?; !task.created kind:'plan/'task title description topology:'swarm/'squad parent:@ref/null contract:text/null contract_data:any proof?:@proof
!lease.claimed step_id:STEP/null ttl_s:int expires_at fence:int; !redo.applied op fields*:@field; task.node_defined step_id:STEP node_id:NODE title? @node
!notes.changed file content sha256; step.noted step_id:STEP/null note; step.reopened step_id:STEP reason; steps.added parent:STEP/null steps*:@step
!report.generated title summary agents*:@report; step.verified step_id:STEP checkpoints:@confirmed; task.node_added step_id:STEP node_id:NODE title @node
status.changed status:'TODO/'ACTIVE/'FAILED/'CANCELED reason?; !taskdoc.changed category:text/null selector content sha256 previous_sha256 source?:@source
!packet.archived; !packet.budget_reset; !packet.defined; !packet.imported; !packet.input_set; !packet.override_set; !stage.failed; !stage.finished; !stage.imported; !stage.interrupted; !stage.passed; !stage.reopened; !stage.started; !task.archived; !task.restored; !tasks.archived; !tasks.restored; !step.deleted step_id:STEP; step.done step_id:STEP forced?; step.unblocked step_id:STEP; !task.rehomed from to root; !undo.applied op fields*:@field
!task.adopted title description topology:'swarm/'squad status:@status created_at updated_at steps*:@milestone config:@config @taken people*:@people extra?*:@extra
@agent instance agent state:'active/'awaiting/'completed/'failed word?:'pending/'active/'dormant assigned:text/null skills*; @blob sha256 size:int excerpt
@anchor type:'fileAnchor path startLine:int endLine:int; @field field value:any; @op id:name tool:name n:count of:count key? req? txn?:@txn
@attachment path size?:int sha256? missing?:flag; @c 'criteria/'tests/'security/'perf/'docs; @status 'TODO/'ACTIVE/'DONE/'FAILED/'CANCELED; @txn id roots*
@claim by fence:int; @command type:'commandExecution command cwd exitCode?:int stdoutRef? stderrRef?; @taken roster*:@agent gates*:@gate evidence*:@entry files*:@file
@conclusion text evidence*; @report instance agent status:'success/'working/'blocked/'failed summary conclusions*:@conclusion questions* next_actions*
@config maxConcurrentAgents:int timeoutSeconds:int autoApprove:flag; @milestone id:STEP milestone title state:'pending/'working/'done/'blocked depends_on*
@confirmed criteria?:flag tests?:flag security?:flag perf?:flag docs?:flag; @file path sha256; @proof tests?:@mode security?:@mode perf?:@mode docs?:@mode
@entry id kind:'file-anchor/'command-execution/'runtime-event-range title summary createdAt sources*:@anchor/@command/@range artifactRefs?*
@event op:@op prev*:hash seq:count ts:ts type:type by:by hash:hash taskId:name payload:object agentInstance? turnId?; @mode 'off/'warn/'require/'captured/'repeated/'attested
@extra path json; @people file content sha256; @source file sha256
@gate id type:'human-approval/'auto-check/'milestone-gate state:'open/'blocked/'approved/'rejected reason:text/null instructions:text/null blocked_at:text/null resolved_at:text/null resolved_by:text/null
@item kind:'file-anchor/'command-execution/'runtime-event-range title summary counts:flag command? cwd? exit_code?:int stdout?:@blob stderr?:@blob path? start_line?:int end_line?:int url? external_uri? label? lines_sha256? commit? attachment?:@attachment diff?:@blob content?:@blob meta?:object test? failing_line? captured?:@captured attestation?:@attestation
@captured argv* env* started_at ended_at git_commit? tree? changes?:@kept wrote?:@kept lock?:@file platform checkout?:'clean; @kept sha256 size:int; @attestation envelope:@kept of* head revision:int git_commit key
@node status?:@status priority? description? context?:text/null success_criteria?* next_steps?* blockers?* dependencies?* problems?* risks?*; @ref id root
@patch title? description? context?:text/null priority? tags?* depends_on?*:@ref domain?:text/null phase?:text/null component?:text/null assignee?:text/null complete_when_done?:flag/null contract?:text/null contract_data?:any proof?:@proof
@range type:'runtimeEventRange eventsRef startLine?:int endLine?:int; @step id:STEP title success_criteria* tests* blockers* depends_on?* packet?:flag proof?:@proof confirm?:@eyes files?*; @eyes criteria?:'other tests?:'other security?:'other perf?:'other docs?:'other`
    .split(/; |\n/)
    .map((line) => [line.split(" ")[0].replace("!", ""), line]),
);
const textsLike = (patterns) => Object.fromEntries(Object.entries(patterns).map(([kind, like]) => [kind, (v) => isText(v) && like.test(v)]));
const PLAIN = { text: isText, int: Number.isSafeInteger, object: isObject, any: (v) => v !== undefined, null: (v) => v === null };
const KINDS = {
  ...PLAIN,
  flag: (v) => v === true || v === false,
  count: (v) => Number.isSafeInteger(v) && v >= 1,
  ...textsLike({ STEP: /^STEP-[0-9A-F]{8}$/, NODE: /^NODE-[0-9A-F]{8}$/, CARD: /^CARD-[0-9A-F]{8}$/, hash: /^[A-Za-z0-9_-]{43}$/, name: /./s }),
  ...textsLike({ type: /^[a-z][a-z_]*(?:\.[a-z][a-z_]*)+$/, by: /^(?:system|(?:human|agent|system):[A-Za-z0-9._@/+-]{1,64})$/ }),
  ...textsLike({ ts: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/ }),
};

const is = (kinds, v) =>
  kinds.split("/").some((kind) => {
    if (kind.startsWith("'")) return v === kind.slice(1);
    return kind.startsWith("@") ? hasShape(SHAPES[kind], v) : KINDS[kind](v);
  });
function hasShape(line, v) {
  const members = words(line).slice(1);
  if (members[0]?.startsWith("'")) return is(members[0], v);
  if (!isObject(v)) return false;
  return members.every((member) => {
    if (member.startsWith("@")) return hasShape(SHAPES[member], v);
    const [, key, optional, many, kinds = "text"] = /^(\w+)(\?)?(\*)?(?::(.+))?$/.exec(member);
    if (v[key] === undefined) return optional === "?";
    return many ? Array.isArray(v[key]) && v[key].every((one) => is(kinds, one)) : is(kinds, v[key]);
  });
}
const fitsPayload = ({ type, payload }) => Object.hasOwn(SHAPES, type) && isText(payload.message) && hasShape(SHAPES[type], payload);
const isUndoable = ({ events }) =>
  events.every(({ v, type, by }) => v === 1 && by !== "system" && Object.hasOwn(SHAPES, type) && !SHAPES[type].startsWith("!"));

/* ---- The state, and how it is written (EVENT-4) ---- */
/** The fields that undo can set (UNDO-34) by the last part of their names, with their kinds. */
const FIELDS =
  `title description priority doc current:int status:@status contract_data:any depends_on*:@ref steps* tags* tests* files* proof:@proof ${NODE_LISTS.join("* ")}*
complete_when_done:flag/null context:text/null domain:text/null phase:text/null component:text/null assignee:text/null contract:text/null status_reason:text/null ended_at:text/null ended_by:text/null reopened:text/null
done_at:text/null done_by:text/null forced:text/null block_reason:text/null done:flag blocked:flag deleted:flag packet:flag confirm:@eyes`.split(
    /\s/,
  );

/** Whether there is such a field and it can hold the value. */
function couldHold(name, v) {
  const key = name.slice(name.lastIndexOf(".") + 1);
  if (/^(?:gate|note|trace|card)\./.test(name) || name === "deleted")
    return name.startsWith("note.") && isObject(v) && (v.gone === true || isText(v.text));
  if (/\.(?:proof|confirmed)\./.test(name)) return is(name.includes(".proof.") ? "@mode" : "flag", v);
  const kind = FIELDS.find((field) => /^\w+/.exec(field)[0] === (name.startsWith("step.") && key === "depends_on" ? "tests" : key));
  return kind !== undefined && hasShape(`@ ${kind}`, { [/^\w+/.exec(kind)[0]]: v }) && (key !== "current" || v >= 0);
}
const isPresence = (name) => /^(?:step|node)\..*\.deleted$/.test(name);
class State {
  entity = null;
  redo = [];
  conflicts = new Map();
  moved = new Map();
  gone = new Set();
  /** By the ids of entries, the ids by which events name them (EVID-58). */
  named = new Map();
  #record = [];
  #turns = [];
  /** The lists in which the op works, with the ids that it adds to each (EVENT-55). */
  #lists = new Map();
  /** Writes of each field in order, upon what it was before the first (UNDO-30). */
  #writes = new Map();
  #wrote = new Map();
  /** Of each field the writers that no later one has seen, and of each presence those and the ops that worked there. */
  #writers = new Map();
  #there = new Map();
  /** The requirements that each closed step lacked right before an op. */
  #lacked = new Map();
  #additions = new Map();
  /** The ops that worked on each step and node, the undos that deleted it, and those that leave it, from earlier readings too (UNDO-38). */
  #workers = new Map();
  #deletions = new Map();
  #left;
  constructor(left) {
    this.#left = left;
  }
  set(at, key, value, quiet = false) {
    this.#record.push({ name: at.$ + key, before: at[key], after: value, quiet });
    at[key] = value;
    const [kind, id] = at.$.split(".");
    if (kind === "step") this.works(listOf(this.entity.steps.get(id)));
    else if (kind === "node") this.works(`step.${at.step}.nodes`);
  }
  works(list, ...ids) {
    this.#lists.set(list, [...(this.#lists.get(list) ?? []), ...ids]);
  }
  quiet(at, key, value) {
    this.set(at, key, value, true);
  }
  /** Something that is there from now on; `name`: where undo can take it back. */
  note(name, before, after) {
    this.#record.push({ name, before, after, quiet: true, entry: true });
  }
  /** The value that an undo or redo says of a field, which conflicts go by (UNDO-31). */
  say(name, value) {
    this.#record.push({ name, after: value, quiet: false, said: true });
  }
  /** The place of a field, and its key there. */
  at(name) {
    const [kind, id, group, key] = name.split(".");
    if (kind === "checklist") return [this.entity.checklist, id];
    if (kind === "node") return [this.entity.nodes.get(id), group];
    if (kind !== "step") return [this.entity, name];
    const one = this.entity.steps.get(id);
    return key ? [one[group], key] : [one, group];
  }
  op(op, ops, forked) {
    [this.#record, this.#turns, this.#lists, this.here] = [[], [], new Map(), op];
    const closed = [...(this.entity?.steps.values() ?? [])].filter((one) => one.done);
    this.#lacked.set(op.hash, Object.fromEntries(closed.map((one) => [one.id, lacks(one)])));
    for (const event of op.events) this.#event(event, op, ops);
    if (!this.entity) return;
    this.entity.revision++;
    if (isUndoable(op)) this.redo = [];
    this.#keepWrites(op);
    op.works = worksOf(this.entity, op);
    for (const presence of op.works) {
      push(this.#workers, presence, op);
      for (const [undo, name] of this.#deletions.get(presence) ?? []) if (!hasSeen(op, undo)) this.#left.add(name);
    }
    if (forked) this.#findConflicts(op, op.events.at(-1));
    if (forked) for (const [list, ids] of this.#lists) this.#findMoved(op, list, ids);
  }
  #event(event, op, ops) {
    const { v, type, payload, ts, by } = event;
    if (v !== 1 || !fitsPayload(event) || Object.hasOwn(BEGINS, type) !== (this.entity === null)) return;
    if (!this.entity) return void (this.entity = BEGINS[type](event, payload));
    if (type === "undo.applied" || type === "redo.applied") {
      if (!this.#turn(payload, type === "undo.applied", op, ops, by)) return;
    } else APPLY[type]?.(this, payload, event);
    if (ts > this.entity.updated_at) this.entity.updated_at = ts;
  }
  /** Keeps of each field the first value before this op and the last value after. */
  #keepWrites(op) {
    const changes = new Map();
    for (const { name, before, after, entry, said } of this.#record)
      if (!said && (entry || couldHold(name, after))) changes.set(name, { before, ...changes.get(name), after });
    this.#wrote.set(op.hash, new Set(changes.keys()));
    const restored = new Map(this.#turns.flatMap(({ fields }) => fields));
    for (const [name, { before, after }] of changes) {
      if (restored.has(name) && (name.startsWith("note.") || canonical(restored.get(name)) === canonical(after))) continue;
      if (!this.#writes.has(name)) this.#writes.set(name, { base: before, list: [] });
      this.#writes.get(name).list.push({ op: op.hash, value: after, undone: false });
    }
  }
  /** UNDO-30 to UNDO-33. */
  #turn({ op: hash, fields }, undo, op, ops, by) {
    const named = ops.find((one) => one.hash === hash);
    if (!named || !isUndoable(named) || !hasSeen(op, named)) return false;
    const turn = { fields: [], said: [] };
    const unnamed = ["ended_at", "ended_by"].filter((field) => !fields.some((one) => one.field === field));
    const end = fields.some(({ field, value }) => field === "status" && couldHold(field, value)) ? unnamed : [];
    for (const { field, value } of [...fields, ...end.map((one) => ({ field: one, value: null }))]) {
      if (!this.#wrote.get(hash).has(field) || !couldHold(field, value)) continue;
      const { base, list } = this.#writes.get(field);
      const at = list.findIndex((w) => w.op === hash);
      list[at].undone = undo;
      const later = list.some((w, i) => i > at && !w.undone);
      const { value: is } = list.findLast((w) => !w.undone) ?? { value: base };
      const left = undo && !later && isPresence(field) && this.#leaves(op, field);
      turn.said.push([field, value]);
      if (!later && !left) turn.fields.push([field, is]);
    }
    this.#turns.push(turn);
    this.redo = [...this.redo.filter((one) => one !== hash), ...(undo ? [hash] : [])];
    const how = undo ? "an undo" : "a redo";
    restoreConfirmers(this, turn, { by, op: named.index }, undo);
    restore(this, turn.fields, how, undo ? this.#lacked.get(hash) : {}, named.index + !undo);
    for (const [name, value] of turn.said) if (!name.startsWith("note.") && !isQuiet(name)) this.say(name, value);
    return true;
  }
  #leaves(op, presence) {
    const name = `${op.hash} ${presence}`;
    if (this.#left.has(name) || this.#workers.get(presence)?.some((one) => !hasSeen(op, one))) return true;
    push(this.#deletions, presence, [op, name]);
    return false;
  }
  /** EVENT-5, EVENT-61, UNDO-31, UNDO-38. */
  #findConflicts(op, { by, ts }) {
    const take = (writers, name, value) => {
      const unseen = (writers.get(name) ?? []).filter((w) => !hasSeen(op, w));
      writers.set(name, [...unseen, { index: op.index, value, by, ts, op: op.hash }]);
    };
    const written = new Map(this.#record.filter((c) => c.quiet === false).map((c) => [c.name, c.after]));
    for (const [name, value] of written) take(this.#writers, name, value);
    for (const name of new Set([...op.works, ...[...written.keys()].filter(isPresence)])) take(this.#there, name, written.get(name) ?? false);
    for (const name of new Set([...written.keys(), ...op.works])) if (this.#writers.has(name)) this.#judge(name);
  }
  #judge(name) {
    const [at, key] = this.at(name);
    const shown = canonical(at[key]);
    const writers = isPresence(name) && at[key] === false ? this.#there.get(name) : this.#writers.get(name);
    const values = [];
    for (const { index: _, ...w } of writers) if (!values.some((v) => canonical(v.value) === canonical(w.value))) values.push(w);
    const isShown = ({ value }) => canonical(value) === shown;
    if (values.length > 1) this.conflicts.set(name, [...values.filter((v) => !isShown(v)), ...values.filter(isShown)]);
    else this.conflicts.delete(name);
  }
  /** The value that a field has at last stands last (EVENT-61): what closes or ends quietly may have changed it since. */
  orderConflicts() {
    for (const name of this.conflicts.keys()) this.#judge(name);
  }
  /** EVENT-7. */
  #findMoved(op, list, ids) {
    const additions = [...(this.#additions.get(list) ?? []), ...ids.map((id) => ({ id, op }))];
    this.#additions.set(list, additions);
    const knows = (one, other) => one === other || hasSeen(one, other);
    if (additions.every((one) => knows(op, one.op))) return void this.moved.delete(list);
    if (ids.length === 0 && !this.moved.has(list)) return;
    const last = additions.filter((one) => !additions.some((other) => hasSeen(other.op, one.op)));
    const from = additions.findIndex((one) => !last.every((end) => knows(end.op, one.op)));
    this.moved.set(
      list,
      additions.slice(from).map(({ id }) => id),
    );
  }
}
/** The presence of everything that an op worked on, and of what is above that (UNDO-38). */
function worksOf({ steps, nodes }, { events }) {
  const ids = events
    .filter((event) => event.v === 1 && fitsPayload(event))
    .flatMap(({ type, payload: { step_id, node_id, parent, fields } }) => {
      if (/^(?:undo|redo)/.test(type))
        return fields.flatMap(({ field }) => (type === "undo.applied" && isPresence(field) ? [] : field.split(".")[1]));
      return type === "step.deleted" || type === "task.node_deleted" ? [] : [step_id, parent, node_id];
    });
  const works = new Set();
  for (const id of ids) {
    const node = nodes.get(id);
    if (node) works.add(`node.${id}.deleted`);
    for (let one = steps.get(node ? node.step : id); one; one = one.parent) works.add(`step.${one.id}.deleted`);
  }
  return works;
}

/* ---- Steps and their gates (STEP-7, STEP-8, EVENT-8 to EVENT-48, EVENT-41) ---- */
const commandOf = ({ command, cwd, evidence }) => (command === null ? evidence : canonical([command, cwd]));
const laterRun = (a, b) => (b.time >= a.time ? b : a);
const DEGREES = words("captured repeated attested");
/** PROOF-48: `closer` is who closes the step, or closed it. */
const isEnough = ({ degree, by, signed }, mode, closer) =>
  mode === "attested" ? signed === true : mode === "repeated" ? degree === "repeated" && by !== closer : degree !== undefined;
function lacks({ confirmed, linked, proof: modes, packet, tests, done_by }, closer = done_by) {
  const isRequired = (c) => modes[c] === "require" || DEGREES.includes(modes[c]);
  const asked = (c) => (c === "tests" ? !packet : c === "criteria" || linked[c].length > 0 || isRequired(c));
  const runs = (links, key) => links.filter((link) => link.exit_code !== null && commandOf(link) === key);
  const passed = ({ counts, exit_code }) => counts || exit_code === 0;
  const proved = (c) => {
    // PROOF-41: a failed run that was superseded is left out, and nothing else is.
    const there = linked[c].filter(({ superseded, exit_code }) => !superseded || !exit_code);
    const proofs = there.filter((link) => link.counts && passed(runs(there, commandOf(link)).reduce(laterRun, { counts: true, time: "" })));
    if (!DEGREES.includes(modes[c])) return proofs.length > 0;
    const enough = proofs.filter((link) => isEnough(link, modes[c], closer));
    // PROOF-48: each declared test has a proof of its own.
    return c === "tests" && tests.length > 0 ? tests.every((test) => enough.some((link) => link.test === test)) : enough.length > 0;
  };
  const unproved = CHECKPOINTS.filter((c) => (packet && c === "tests") || (isRequired(c) && !proved(c)));
  return [...CHECKPOINTS.filter((c) => asked(c) && !confirmed[c]), ...unproved.map((c) => `proof of ${c}`)];
}
/** PROOF-55: whether a claimant confirmed what other eyes were to, or the one who closes a step without a claim. */
const ownEyes = ({ confirm = {}, claimants = [], confirmed, confirmed_by = {} }, closer) =>
  CHECKPOINTS.some((c) => {
    const { by } = confirmed_by[c]?.at(-1) ?? {};
    return confirm[c] && confirmed[c] && by !== undefined && (claimants.includes(by) || (claimants.length === 0 && by === closer));
  });
const confirmersOf = ({ confirmed_by }, c) => confirmed_by?.[c] ?? [];
const confirmersAre = (one, c, all) =>
  (all.length > 0 || confirmersOf(one, c).length > 0) &&
  (one.confirmed_by = { ...one.confirmed_by, [c]: all.toSorted((a, b) => a.op - b.op).slice(-256) });
/** PROOF-55: an undo takes out the confirmation of its op. An actor that brings one back stands for it. */
function restoreConfirmers(s, { fields, said }, confirmer, undo) {
  const set = new Map(fields);
  for (const [name, value] of said) {
    const [kind, id, group, c] = name.split(".");
    const one = kind === "step" && group === "confirmed" && s.entity.steps.get(id);
    if (!one) continue;
    const isAway = set.get(name) === false;
    const others = confirmersOf(one, c).filter(({ op, brought }) => op !== confirmer.op && !(brought && isAway));
    const counts = undo ? set.get(name) && !one.confirmed[c] : value && !isAway;
    confirmersAre(one, c, counts ? [...others, undo ? { ...confirmer, brought: true } : confirmer] : others);
  }
}
const listOf = ({ parent }) => (parent ? `${parent.$}children` : "children");
const isLive = (one) => !one || (!one.deleted && isLive(one.parent));
const openBelow = ({ children }) => children.filter((child) => !child.deleted && !child.done);
const hasOpen = (steps) => steps.some((one) => !one.deleted && (!one.done || hasOpen(one.children)));
const liveStep = (s, stepId) => [s.entity.steps.get(stepId)].find((one) => one && isLive(one));
/** The claims of a step or the whole, the one that stands first (EVENT-53). */
const claimsOf = ({ lease, displaced = [] }) => (lease ? [lease, ...displaced] : []);
const isClaim = (one, { by, fence }) => one.by === by && one.fence === fence;
function standBehind(s, at, claims) {
  const { displaced = [] } = at;
  if (claims.length === displaced.length && claims.every((one, n) => one === displaced[n])) return;
  s.quiet(at, "displaced", claims.length > 0 ? claims : undefined);
}
function free(s, at) {
  s.set(at, "lease", null);
  standBehind(s, at, []);
}
function noteClaimant(one, by) {
  if (!one.claimants?.includes(by)) one.claimants = [...(one.claimants ?? []), by];
}
/** PROOF-55: who holds a claim above a step that is new or open again. */
function noteAbove(s, one) {
  for (let at = one.parent; at; at = at.parent) for (const { by } of claimsOf(at)) noteClaimant(one, by);
  for (const { by } of claimsOf(s.entity)) noteClaimant(one, by);
}
function openAgain(s, one, reason) {
  if (one.done) noteAbove(s, one);
  if (one.done) free(s, one);
  s.set(one, "done", false);
  for (const key of ["done_at", "done_by", "forced"]) s.quiet(one, key, null);
  s.quiet(one, "reopened", reason);
}
const isEnded = (status) => !["TODO", "ACTIVE"].includes(status);
function setStatus(s, status, { ts, by }, reason = null) {
  const ends = isEnded(status) || isEnded(s.entity.status);
  s.set(s.entity, "status", status);
  if (ends) free(s, s.entity);
  const [ended_at, ended_by] = isEnded(status) ? [ts, by] : [null, null];
  for (const [key, value] of Object.entries({ status_reason: reason, ended_at, ended_by })) s.quiet(s.entity, key, value);
}
function openAbove(s, parent, reason) {
  for (let one = parent; one; one = one.parent) if (one.done) openAgain(s, one, reason);
  if (s.entity.status === "DONE") setStatus(s, "ACTIVE", {}, reason);
}
function openFrom(s, one, reason) {
  if (one.done) openAgain(s, one, reason);
  openAbove(s, one.parent, `a step below it is open again: ${reason}`);
}
function judge(s, one, before, reason, now = lacks(one)) {
  if (one.done && now.some((what) => !before.includes(what))) openFrom(s, one, reason);
}

const isQuiet = (name) => /(?:^|\.)(?:done_at|done_by|forced|reopened|status_reason|ended_at|ended_by)$/.test(name);
const NOT_ALL_THERE = "not all of its checkpoints and proofs were there";

/** UNDO-33, UNDO-35, UNDO-39. `lackedThen`: what closed steps lacked when the named op ran, which evidence from the op `since` on does not add to. */
function restore(s, fields, turn, lackedThen, since) {
  const { entity } = s;
  const judged = new Map();
  const before = entity.status;
  const set = new Map(fields);
  for (const [name, value] of fields) {
    const [kind, ofId, group, key] = name.split(".");
    if (kind === "note") {
      turnNote(s, name.slice(5), value);
      continue;
    }
    const one = kind === "step" ? entity.steps.get(ofId) : undefined;
    if (one && (key || ["done", "deleted", "blocked", "packet"].includes(group)) && !judged.has(one)) judged.set(one, one.done ? lacks(one) : null);
    const [at, last] = s.at(name);
    s.set(at, last, value, isQuiet(name));
  }
  for (const [one, lacked] of judged) {
    const why = one.blocked ? "it was blocked" : openBelow(one).length > 0 && "there is work left in it";
    if (one.done && one.forced === null && why) {
      const blocked = lacked && set.get(`${one.$}blocked`) === true;
      const [did, other] = !lacked ? ["closed it again", why] : blocked ? ["blocked it again", "it was closed"] : ["changed it", why];
      openFrom(s, one, `${turn} ${did}, but on another branch ${other}`);
    }
    const known = lacks({ ...one, linked: Object.fromEntries(CHECKPOINTS.map((c) => [c, one.linked[c].filter(({ op }) => op < since)])) });
    if (lacked) judge(s, one, lacked, `${turn} on another branch changed what it rests on`);
    else
      judge(
        s,
        one,
        lackedThen[one.id] ?? [],
        `${turn} closed it again, but on another branch ${NOT_ALL_THERE}`,
        lacks(one).filter((what) => known.includes(what)),
      );
    if (lacked && !one.done) noteAbove(s, one);
    if (set.has(`${one.$}done`) && (one.done || lacked)) free(s, one);
    let above = one.parent;
    while (above && !above.done) above = above.parent;
    if (!one.done && above?.forced === null && isLive(one)) openAbove(s, above, `${turn} on another branch left a step below it open`);
  }
  if (entity.status === "DONE" && entity.kind === "task" && hasOpen(entity.children)) {
    const completed = set.get("status") === "DONE";
    openAbove(
      s,
      null,
      `${turn} ${completed ? "completed it again, but on another branch there is work left" : "on another branch left a step open"}`,
    );
  }
  if (set.has("status") && (isEnded(before) || isEnded(entity.status))) free(s, entity);
}

/**
 * A note that comes back stands in the place of its time. If it is older than the last few, it stays out while others stand
 * before it.
 */
function turnNote(s, noteId, { gone: away, ts, by, step, text }) {
  const [{ entity }, gone] = [s, away === true];
  if (s.gone.has(noteId) === gone) return;
  if (gone) s.gone.add(noteId);
  else s.gone.delete(noteId);
  const at = entity.notes.findLastIndex((note) => note.ts <= ts) + 1;
  if (gone) entity.notes = entity.notes.filter(({ id }) => id !== noteId);
  else if (at > 0 || entity.note_count <= entity.notes.length)
    entity.notes = entity.notes.toSpliced(at, 0, { id: noteId, ts, by, step, text }).slice(-10);
  entity.note_count += gone ? -1 : 1;
  const one = entity.steps.get(step);
  if (one) s.quiet(one, "notes", one.notes + (gone ? -1 : 1));
}
/* ---- What each event does ---- */
const merged = (...parts) => Object.assign({}, ...parts);

function newEntity({ hash, ts, by }, p) {
  const { kind, title, description, topology, parent, contract, contract_data, proof } = p;
  return merged(
    each("context domain phase component assignee complete_when_done status_reason ended_at ended_by lease", null),
    {
      $: "",
      root: hash,
      kind,
      created_at: ts,
      created_by: by,
      title,
      description,
      topology,
      parent,
      contract,
      contract_data,
      proof: proof ?? {},
    },
    { priority: "MEDIUM", tags: [], depends_on: [], status: "TODO", deleted: false, updated_at: ts, revision: 0 },
    { steps: new Map(), children: [], nodes: new Map(), evidence: [], notes: [], note_count: 0 },
    { checklist: { $: "checklist.", doc: "plan", steps: [], current: 0 } },
  );
}

function newStep(
  { id, title, success_criteria, tests, blockers, depends_on = [], packet = false, proof = {}, confirm = {}, files = [] },
  parent,
  ordinal,
) {
  const of = (name, value) => ({ $: `step.${id}.${name}.`, ...Object.fromEntries(CHECKPOINTS.map((c) => [c, value(c)])) });
  return merged(
    each("done_at done_by forced reopened block_reason lease", null),
    each("done blocked deleted", false),
    {
      $: `step.${id}.`,
      id,
      parent,
      ordinal,
      children: [],
      nodes: [],
      title,
      success_criteria,
      tests,
      blockers,
      depends_on,
      packet,
      files,
      confirm,
      notes: 0,
    },
    { confirmed: of("confirmed", () => false), proof: of("proof", (c) => proof[c] ?? "off"), linked: of("linked", () => []) },
  );
}
/** EVENT-57, as far as this reader goes: what another program's agents and gates were is left out. */
function adopted(event, p) {
  const created_at = p.created_at.replace(/(\.\d{3}(?:\d{3})??)(?:000)+Z$/, "$1Z");
  const entity = { ...newEntity(event, { ...p, kind: "task", parent: null, contract: null, contract_data: null }), created_at, status: p.status };
  for (const { id, title, state, depends_on } of p.steps) {
    if (entity.steps.has(id)) continue;
    const one = newStep({ id, title, success_criteria: [], tests: [], blockers: [], depends_on }, null, entity.children.length);
    if (state === "working") one.started = true;
    if (state === "blocked") one.blocked = true;
    if (state === "done") Object.assign(one, { done: true, done_at: event.ts, done_by: event.by });
    if (state === "done") for (const c of CHECKPOINTS) one.confirmed[c] = true;
    entity.children.push(one);
    entity.steps.set(id, one);
  }
  takeEvidence(entity, p.evidence);
  return entity;
}
function takeEvidence({ evidence }, entries) {
  for (const { id, kind, title, summary, createdAt } of entries)
    if (!evidence.some((one) => one.id === id)) evidence.push({ id, kind, title, summary, createdAt });
}
const BEGINS = { "task.created": newEntity, "task.adopted": adopted };
const setAll = (s, at, body, keys) => keys.forEach((key) => body[key] !== undefined && s.set(at, key, body[key]));
const PATCH = words(
  "title description context priority tags depends_on domain phase component assignee complete_when_done contract contract_data proof",
);
const edit = (s, p) => setAll(s, s.entity, p.patch, PATCH);
const NODE_BODY = [...words("title status priority description context"), ...NODE_LISTS];
const NEW_NODE = { status: "TODO", priority: "MEDIUM", description: "", context: null };
const onStep = (apply) => (s, p, event) => {
  const at = p.step_id === null ? s.entity : liveStep(s, p.step_id);
  if (at) apply(s, at, p, event);
};
const onNode = (apply) => (s, p) => {
  const one = s.entity.nodes.get(p.node_id);
  if (one && !one.deleted && liveStep(s, one.step)) apply(s, one, p);
};
const APPLY = {
  "contract.updated": (s, p) => setAll(s, s.entity, p, ["contract", "contract_data"]),
  "evidence.captured": (s, { step_id, checkpoints, items, long_ids, supersedes = [] }, event) => {
    const one = step_id === null ? null : s.entity.steps.get(step_id);
    if (one === undefined) return;
    for (const { linked } of s.entity.steps.values())
      for (const c of CHECKPOINTS) for (const link of linked[c]) if (supersedes.includes(s.named.get(link.evidence))) link.superseded = true;
    for (const [i, item] of items.entries()) {
      const hex = Buffer.from(event.hash, "base64url").toString("hex");
      const prefix = { "file-anchor": "file", "command-execution": "cmd" }[item.kind] ?? "log";
      const short = `${prefix}-${hex.slice(0, long_ids ? 20 : 8)}-${i + 1}`;
      const isTaken = (ref) => s.entity.evidence.some(({ id }) => id === ref);
      // EVID-4
      let evidence = short;
      for (let n = i + 1; isTaken(evidence); n++) evidence = `${prefix}-${hex}-${n}`;
      s.named.set(evidence, [...s.named.values()].includes(short) ? evidence : short);
      const { kind, title, summary, counts, command = null, cwd = null, exit_code = null } = item;
      s.entity.evidence.push({ id: evidence, kind, title, summary, createdAt: event.ts });
      const receipt = command !== null ? "CMD" : item.url !== undefined ? "LINK" : null;
      const kept =
        item.attachment?.sha256 !== undefined || words("stdout stderr diff content lines_sha256 commit").some((key) => item[key] !== undefined);
      const link = {
        evidence,
        counts,
        receipt,
        command,
        cwd,
        exit_code,
        op: s.here.index,
        backed: counts && (kept || exit_code === 0),
        ...(item.test === undefined ? {} : { test: item.test }),
        ...(item.captured && exit_code !== null && { degree: item.captured.checkout === "clean" ? "repeated" : "captured", by: event.by }),
      };
      const vouched = item.attestation?.of ?? [];
      for (const { linked } of s.entity.steps.values())
        for (const c of CHECKPOINTS) for (const other of linked[c]) if (vouched.includes(s.named.get(other.evidence))) other.signed = true;
      if (one) s.works(listOf(one));
      for (const c of one ? new Set(item.test === undefined ? checkpoints : [...checkpoints, "tests"]) : []) {
        const before = one.linked[c].filter((run) => hasSeen(s.here, { index: run.op }) && commandOf(run) === commandOf(link));
        one.linked[c].push({ ...link, time: before.reduce(laterRun, { time: event.ts }).time });
      }
    }
  },
  "lease.claimed": onStep((s, at, { expires_at, fence }, { by, ts }) => {
    if (at === s.entity ? !["TODO", "ACTIVE"].includes(at.status) : at.done) return;
    const own = { by, claimed_at: ts, expires_at, fence };
    const behind = claimsOf(at).filter((other) => other.expires_at > ts && !isClaim(other, own));
    s.set(at, "lease", own);
    standBehind(s, at, behind);
    // PROOF-55: a claim covers the steps below it.
    const note = (one) => {
      if (one.deleted) return;
      if (!one.done) noteClaimant(one, by);
      one.children.forEach(note);
    };
    (at === s.entity ? at.children : [at]).forEach(note);
  }),
  "lease.released": onStep((s, at, { claim }, { ts }) => {
    const claims = claim === undefined ? [] : claimsOf(at);
    const ends = claim && claims.some((one) => isClaim(one, claim));
    const left = claims.filter((one) => !ends || (one.expires_at > ts && !isClaim(one, claim)));
    if (left.length === 0) return free(s, at);
    s.say(`${at.$}lease`, null);
    if (left[0] !== at.lease) s.quiet(at, "lease", left[0]);
    standBehind(s, at, left.slice(1));
  }),
  "plan.edited": edit,
  "plan.updated": (s, p) => setAll(s, s.entity.checklist, { ...p, current: p.current >= 0 ? p.current : undefined }, ["doc", "steps", "current"]),
  "status.changed": (s, { status, reason }, event) => setStatus(s, status, event, reason),
  "step.blocked": onStep((s, one, { reason }) => setAll(s, one, { blocked: true, block_reason: reason }, ["blocked", "block_reason"])),
  "step.defined": onStep((s, one, p) => {
    const before = lacks(one);
    setAll(s, one, p, ["title", "blockers", "depends_on", "packet", "files", "confirm", "success_criteria", "tests"]);
    if (p.success_criteria) s.set(one.confirmed, "criteria", false);
    if (p.tests) s.set(one.confirmed, "tests", false);
    setAll(s, one.proof, p.proof ?? {}, CHECKPOINTS.slice(1));
    judge(s, one, before, "what it has to fulfil was changed");
  }),
  "step.deleted": onStep((s, one) => s.set(one, "deleted", true)),
  "step.done": onStep((s, one, { forced = null }, { ts, by }) => {
    const open = forced === null && (one.blocked ? "it was blocked" : openBelow(one).length > 0 && "steps below it were open");
    const why = lacks(one, by).length > 0 || ownEyes(one, by) ? NOT_ALL_THERE : open;
    if (why) return s.quiet(one, "reopened", `closed on one branch, but on another ${why}`);
    s.set(one, "done", true);
    free(s, one);
    for (const [key, value] of Object.entries({ done_at: ts, done_by: by, forced, reopened: null })) s.quiet(one, key, value);
  }),
  "step.noted": (s, { step_id, note: said }, { hash, ts, by }) => {
    const one = step_id === null ? null : s.entity.steps.get(step_id);
    if (one === undefined) return;
    if (one) s.quiet(one, "notes", one.notes + 1);
    const made = { id: hash, ts, by, step: step_id, text: said };
    s.entity.notes = [...s.entity.notes, made].slice(-10);
    s.entity.note_count++;
    s.note(`note.${hash}`, { step: step_id, gone: true }, made);
  },
  "step.reopened": onStep((s, one, { reason }) => {
    openAgain(s, one, reason);
    openAbove(s, one.parent, reason);
  }),
  "step.unblocked": onStep((s, one) => setAll(s, one, { blocked: false, block_reason: null }, ["blocked", "block_reason"])),
  "step.verified": onStep((s, one, { checkpoints }, { by }) => {
    const before = lacks(one);
    setAll(s, one.confirmed, checkpoints, CHECKPOINTS);
    for (const c of CHECKPOINTS) if (checkpoints[c]) confirmersAre(one, c, [...confirmersOf(one, c), { by, op: s.here.index }]);
    judge(s, one, before, "a confirmation was taken back");
  }),
  "steps.added": (s, p) => {
    const parent = p.parent === null ? null : s.entity.steps.get(p.parent);
    if (parent === undefined) return;
    const siblings = (parent ?? s.entity).children;
    for (const body of p.steps) {
      if (s.entity.steps.has(body.id)) continue;
      const made = newStep(body, parent, siblings.length);
      s.entity.steps.set(made.id, made);
      s.note(`step.${made.id}.deleted`, true, false);
      siblings.push(made);
      noteAbove(s, made);
      s.works(listOf(made), made.id);
    }
    if (isLive(parent)) openAbove(s, parent, "steps were added");
  },
  "task.completed": (s, { reason = null }, event) => {
    const open = s.entity.kind === "task" && hasOpen(s.entity.children);
    if (open) setStatus(s, "ACTIVE", event, "completed on one branch while steps were open on another");
    else setStatus(s, "DONE", event, reason);
  },
  "task.deleted": (s) => s.set(s.entity, "deleted", true),
  "task.edited": edit,
  "task.node_added": onStep((s, one, { node_id, ...p }) => {
    if (s.entity.nodes.has(node_id)) return;
    const place = { $: `node.${node_id}.`, id: node_id, step: one.id, ordinal: one.nodes.length, deleted: false };
    const said = Object.entries(p).filter(([key]) => NODE_BODY.includes(key));
    const made = merged(place, each(NODE_LISTS.join(" "), []), NEW_NODE, Object.fromEntries(said));
    s.entity.nodes.set(node_id, made);
    s.note(`node.${node_id}.deleted`, true, false);
    s.works(listOf(one));
    s.works(`step.${one.id}.nodes`, node_id);
    one.nodes.push(node_id);
  }),
  "task.node_defined": onNode((s, one, p) => setAll(s, one, p, NODE_BODY)),
  "task.node_deleted": onNode((s, one) => s.set(one, "deleted", true)),
  "task.readopted": (s, p) => {
    setAll(s, s.entity, p, ["title", "description"]);
    takeEvidence(s.entity, p.evidence);
  },
  "task.reopened": (s, { reason }, event) => setStatus(s, "ACTIVE", event, reason),
};

/** The state that a log gives; null if no event of it begins an entity. */
export function readLog(bytes) {
  const ops = orderOps(readLines(bytes));
  const forked = ops.some((op) => op.children.length > 1);
  const left = new Set();
  let state;
  for (let known = -1; left.size > known;) {
    known = left.size;
    state = new State(left);
    for (const op of ops) state.op(op, ops, forked);
  }
  state.orderConflicts();
  const { entity, conflicts, moved, redo } = state;
  if (!entity) return null;
  const heads = ops.flatMap(({ children, last }) => (children.length === 0 ? last : [])).sort(byText);
  const steps = [...entity.steps.values()].map((one) => ({ ...one, parent: one.parent?.id ?? null, children: one.children.map((c) => c.id) }));
  const listed = { steps, children: entity.children.map((c) => c.id), order: ops.map((op) => op.hash) };
  const said = { ...entity, ...listed, heads, redo, conflicts: Object.fromEntries(conflicts), moved: Object.fromEntries(moved) };
  return JSON.parse(JSON.stringify(said, (key, v) => (key === "$" ? undefined : v instanceof Map ? [...v.values()] : v)));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  console.log(JSON.stringify(readLog(readFileSync(join(process.argv[2] ?? ".", "events.jsonl"))), null, 2));
