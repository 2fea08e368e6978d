/** What signatures are worth: a log as it was signed, and as it is now. */
import { describe, expect, it } from "vitest";
import { envelopeText } from "../../src/attest/envelope.ts";
import type { LogFacts, LoggedStep } from "../../src/attest/log_facts.ts";
import { pae } from "../../src/attest/pae.ts";
import { statementBytes } from "../../src/attest/statement.ts";
import type { EntityVerdict, Judge, VouchedOptions } from "../../src/attest/vouched.ts";
import { MAX_JUDGED, vouched } from "../../src/attest/vouched.ts";
import { canonicalJson, sha256 } from "../../src/log/canonical.ts";
import { someFacts, someKey, someRun, someStep } from "../support/signing.ts";

const COMMIT = "c0ffee".padEnd(40, "0");
const key = someKey();
const signatures = new Map<string, string>();
/** Each statement is signed once. */
function signed(payload: Buffer): Buffer {
  const text = payload.toString();
  if (!signatures.has(text)) signatures.set(text, key.sign(pae(payload)));
  return Buffer.from(envelopeText(payload, signatures.get(text)!)!);
}
/** The signature is right where it is one of those that were made here. */
const judge: Judge = (bytes, signature) =>
  [...signatures].some(([text, one]) => one === signature && pae(Buffer.from(text)).equals(Buffer.from(bytes)))
    ? { principal: "ana@example.org" }
    : { is: "invalid", why: "other bytes" };
const TRUSTING: VouchedOptions = { judge, isInHistory: (commit) => commit === COMMIT };

const before = someFacts();
const attested = (facts: LogFacts = before): Buffer =>
  signed(
    statementBytes(
      facts,
      COMMIT,
      facts.steps.map((step) => ({ step, evidence: facts.evidence })),
    ),
  );
const history = (facts: LogFacts = before): Buffer => signed(statementBytes(facts, COMMIT));
/** The log later: two ops more, of which the first keeps the signature. */
const later = (more: Partial<Omit<LogFacts, "ops">> = {}, envelope: Buffer | string = attested()): LogFacts =>
  someFacts({ ops: 5, signatures: [{ id: "log-1", op: 3, envelope }], ...more });
const look = (facts: LogFacts, options: Partial<VouchedOptions> = {}): EntityVerdict =>
  vouched(facts, { ...TRUSTING, ...options });
const stepOf = (facts: LogFacts, options?: Partial<VouchedOptions>) => look(facts, options).steps[0]!;
const withStep = (more: Partial<LoggedStep>) => stepOf(later({ steps: [someStep(more)] }));

describe("a signature", () => {
  it("[ATTEST-10] holds, is untrusted or broken, and says up to which revision it stands", () => {
    const { signed: best, signatures: all, later: since, revision } = look(later());
    expect(all).toMatchObject([
      { status: "holds", kind: "attest", principal: "ana@example.org", key: key.fingerprint, revision: 3 },
    ]);
    expect({ best, since, revision }).toMatchObject({
      best: { principal: "ana@example.org", revision: 3 },
      since: 2,
      revision: 5,
    });
    const untrusted = look(later(), { judge: () => ({ is: "untrusted", why: "no signer" }) });
    expect(untrusted).toMatchObject({ signed: null, signatures: [{ status: "untrusted", principal: null }] });
    const broken = [Buffer.from("{}\n"), "it is not there", Buffer.from(attested().toString().replace(/\n$/, ""))];
    for (const envelope of broken) expect(look(later({}, envelope)).signatures).toMatchObject([{ status: "broken" }]);
  });

  it("[ATTEST-12] holds while the log has the head and all before it: a merge and another id change nothing", () => {
    const merged = later({ id: "TASK-004" });
    const other = { last: sha256("other"), prev: [sha256("op 0")] };
    expect(
      look({ ...merged, ops: [...merged.ops.slice(0, 1), other, ...merged.ops.slice(1)] }).signatures[0]!.status,
    ).toBe("holds");
    const gone = later();
    const without = (at: number): LogFacts => ({ ...gone, ops: gone.ops.toSpliced(at, 1) });
    for (const at of [0, 1, 2]) expect(look(without(at)).signatures[0]).toMatchObject({ status: "broken" });
    expect(look({ ...gone, root: sha256("another") }).signatures[0]).toMatchObject({ status: "broken" });
    expect(look(without(4)).signatures[0]!.status).toBe("holds");
  });
});

describe("many signatures", () => {
  it("[ATTEST-10] an envelope that the log names often is judged once, and has one verdict", () => {
    const envelope = attested();
    const again = Array.from({ length: 5000 }, (_, i) => ({ id: `log-${i}`, op: 3, envelope: Buffer.from(envelope) }));
    let count = 0;
    const counting: Judge = (...given) => (count++, judge(...given));
    const { signatures: all } = look(later({ signatures: again }), { judge: counting });
    expect({ all: all.length, count }).toEqual({ all: 1, count: 1 });
  });

  it("[ATTEST-10] of more different envelopes than the limit the rest is named as a fault and not judged", () => {
    const text = JSON.parse(attested().toString()) as object;
    const others = Array.from({ length: MAX_JUDGED + 7 }, (_, i) => ({
      id: `log-${i}`,
      op: 3,
      envelope: Buffer.from(`${canonicalJson({ ...text, payload: Buffer.from(`${i}`).toString("base64") })}\n`),
    }));
    let count = 0;
    const counting: Judge = () => (count++, { is: "untrusted", why: "no signer" });
    const { signatures: all } = look(later({ signatures: others }), { judge: counting });
    expect(count).toBe(MAX_JUDGED);
    expect(all.filter(({ status }) => status === "broken")).toMatchObject([
      { id: `log-${MAX_JUDGED}`, why: "only the first 1000 envelopes of a log are judged, and it has 1007" },
    ]);
  });
});

describe("a step", () => {
  it("[ATTEST-13] is vouched for by whom, of which evidence, at which commit", () => {
    expect(stepOf(later())).toMatchObject({
      vouched: true,
      required: ["tests"],
      by: ["ana@example.org"],
      evidence: ["cmd-1"],
      git_commits: [COMMIT],
      why: [],
    });
  });

  it("[ATTEST-13] is not, if one of its words is another than was signed", () => {
    expect(withStep({ titles: ["Read"] }).why[0]).toContain("the title of the step changed since revision 3");
    expect(withStep({ success_criteria: [] }).why[0]).toContain("its criteria");
    expect(withStep({ tests: ["true"] }).why[0]).toContain("its tests");
    expect(withStep({ step_id: "STEP-2" }).vouched).toBe(false);
    for (const more of [{ title: "Another" }, { id: "TASK-002" }, { workspace: "acme/other" }])
      expect(stepOf(later(more)).vouched).toBe(false);
    expect(withStep({ path: "s:3" }).vouched).toBe(true);
  });

  it("[ATTEST-13] needs a run of each declared test that the log still has; without tests any proof that was signed", () => {
    const tests = ["npm test", "npm run lint"];
    const facts = someFacts({ steps: [someStep({ tests })] });
    const half = later({ steps: facts.steps }, attested(facts));
    expect(stepOf(half).why).toEqual(['no trusted signature names a run of "npm run lint"']);
    const none = someFacts({ steps: [someStep({ tests: [] })] });
    expect(stepOf(later({ steps: none.steps }, attested(none))).vouched).toBe(true);
    expect(stepOf(later({ evidence: [] })).vouched).toBe(false);
    const under = { command: "true", test: "npm test" };
    for (const more of [under, { cwd: "sub" }])
      expect([more, stepOf(later({ evidence: [someRun(more)] })).why]).toEqual([
        more,
        ['no trusted signature names a run of "npm test"'],
      ]);
    // The event is the same, and the place in the log is one that was not signed.
    expect(stepOf(later({ evidence: [someRun({ op: 4 })] })).vouched).toBe(false);
    expect(stepOf(later({ evidence: [someRun({ step_id: "STEP-2" })] })).vouched).toBe(false);
    expect(stepOf(later({ evidence: [someRun({ checkpoints: ["docs"] })] })).vouched).toBe(false);
  });

  it("[ATTEST-13] is not, if the proof was superseded, its bytes are other ones, or a run failed that was not seen", () => {
    for (const more of [{ aside: [4] }, { broken: "other bytes" }, { counts: false }, { exit_code: 1 }])
      expect([more, stepOf(later({ evidence: [someRun(more)] })).vouched]).toEqual([more, false]);
    const failed = someRun({ event: sha256("op 4"), op: 4, id: "cmd-2", exit_code: 1, counts: false });
    expect(stepOf(later({ evidence: [someRun(), failed] })).why[0]).toContain("evidence:cmd-2");
    // Neither a newer run that passed nor a supersession takes that back.
    const passed = someRun({ event: sha256("op 5"), op: 5, id: "cmd-3" });
    expect(stepOf(later({ evidence: [someRun(), failed, passed] })).vouched).toBe(false);
    expect(stepOf(later({ evidence: [someRun(), { ...failed, aside: [5] }] })).vouched).toBe(false);
    // One that the signer saw is judged by the log alone.
    const seen = someRun({ event: sha256("op 0"), op: 0, id: "cmd-0", exit_code: 1, counts: false });
    expect(stepOf(later({ evidence: [seen, someRun()] })).vouched).toBe(true);
    const again = someFacts({ ops: 6, evidence: [someRun(), failed, passed] });
    const anew = { ...again, signatures: [{ id: "log-2", op: 6, envelope: attested(again) }] };
    expect(stepOf(anew).evidence).toEqual(["cmd-1"]);
  });

  it("[ATTEST-13] is not, if HEAD does not lead to the commit of its proof, or git cannot tell", () => {
    expect(stepOf(later(), { isInHistory: () => false }).why[0]).toContain("HEAD does not lead to commit c0ffee");
    expect(stepOf(later(), { isInHistory: () => null }).why[0]).toContain("git cannot tell");
  });

  it("[ATTEST-16] has to be vouched for if it is closed, and with `byMode` if a mode is attested, now or when it was signed", () => {
    const byMode = { byMode: true };
    const never = { proof: {}, attested: [] };
    const unsigned = someFacts({ steps: [someStep(never)], ops: 5 });
    expect(stepOf(unsigned).required).toEqual(["tests"]);
    expect(stepOf(unsigned, byMode).required).toEqual([]);
    expect(stepOf(later({ steps: [someStep(never)] }), byMode).required).toEqual(["tests"]);
    expect(stepOf(someFacts({ steps: [someStep({ ...never, done: false })] })).required).toEqual([]);
    const docs = someFacts({ steps: [someStep({ ...never, proof: { docs: "attested" } })] });
    expect(stepOf(docs, byMode).required).toEqual(["docs"]);
    expect(stepOf(docs).required).toEqual(["docs", "tests"]);
  });

  it("[ATTEST-16] a mode counts as it was where a trusted signature over history stands for its beginning and not for its end", () => {
    const required = (from: number, to: number) => {
      const steps = [someStep({ proof: {}, attested: [{ checkpoint: "tests", from, to }] })];
      return stepOf(later({ steps }, history()), { byMode: true }).required;
    };
    expect(required(1, 4)).toEqual(["tests"]);
    // The signer saw that it was lowered, or no signature says that it was ever so.
    expect(required(1, 2)).toEqual([]);
    expect(required(3, 4)).toEqual([]);
  });

  it("[ATTEST-16] without tests is vouched for by signed proof of any checkpoint", () => {
    const steps = [someStep({ proof: {}, attested: [], tests: [] })];
    const facts = someFacts({ steps, evidence: [someRun({ checkpoints: ["docs"] })] });
    const now = later({ steps, evidence: facts.evidence }, attested(facts));
    expect(stepOf(now)).toMatchObject({ required: ["docs"], vouched: true });
    expect(stepOf({ ...now, evidence: [] })).toMatchObject({ required: ["tests"], vouched: false });
  });

  it("[ATTEST-13] is not, with `fresh`, if files changed since the run, or since the commit with which a claim or packet was signed", () => {
    const { captured: _run, ...claim } = someRun({ degree: "claimed" });
    const since = (commit: string) => (commit === COMMIT ? "1 file changed since" : undefined);
    const packet = [someStep({ packet: true })];
    const all: [LogFacts, string][] = [
      [
        later({ evidence: [someRun({ stale: "1 file changed since" })] }),
        "evidence:cmd-1 is stale: 1 file changed since",
      ],
      [later({ evidence: [claim], since }), "evidence:cmd-1 is stale: 1 file changed since"],
      [
        later({ steps: packet, evidence: [], since }, attested(someFacts({ steps: packet, evidence: [] }))),
        "the packet is stale: 1 file changed since",
      ],
    ];
    for (const [facts, why] of all) {
      expect(stepOf(facts, { fresh: true }).why).toEqual([why]);
      expect(stepOf(facts).vouched).toBe(true);
      const { since: _asked, ...rest } = facts;
      const unchanged = {
        ...rest,
        evidence: rest.evidence.map(({ stale: _stale, ...one }) => one),
        since: () => undefined,
      };
      expect(stepOf(unchanged, { fresh: true }).vouched).toBe(true);
    }
  });

  it("[ATTEST-6] is not vouched for by a signature over history", () => {
    const facts = later({}, history());
    expect(look(facts).signed).toMatchObject({ revision: 3 });
    expect(stepOf(facts)).toMatchObject({ vouched: false, why: ["no trusted signature names proof of tests"] });
  });

  it("[ATTEST-13] that the packet proves is vouched for while the packet is as it was signed", () => {
    const steps = [someStep({ packet: true })];
    const facts = someFacts({ steps, evidence: [] });
    const now = later({ steps, evidence: [] }, attested(facts));
    expect(stepOf(now).vouched).toBe(true);
    const changed = { ...now, ops: now.ops.map((op, i) => (i === 4 ? { ...op, packet: true as const } : op)) };
    expect(stepOf(changed).why).toEqual(["the packet changed since it was signed"]);
    expect(stepOf({ ...now, steps: [someStep({ packet: false })] }).vouched).toBe(false);
  });
});
