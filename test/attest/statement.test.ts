/** Statements and envelopes: one text for each, which other tools read. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { envelopeText, readEnvelope } from "../../src/attest/envelope.ts";
import { pae, PAYLOAD_TYPE } from "../../src/attest/pae.ts";
import { readStatement, statementBytes, VERIFICATION } from "../../src/attest/statement.ts";
import { canonicalJson } from "../../src/log/canonical.ts";
import type { LoggedEvidence, LoggedStep } from "../../src/attest/log_facts.ts";
import { someFacts, someKey, someRun, someStep } from "../support/signing.ts";

const COMMIT = "c0ffee".padEnd(40, "0");
const facts = someFacts();
const [step] = facts.steps;
const payload = statementBytes(facts, COMMIT, [{ step: step!, evidence: [someRun()] }]);
const key = someKey();
const signature = key.sign(pae(payload));
const text = envelopeText(payload, signature)!;

/** What cannot be read as an envelope. */
const isNone = (changed: string): boolean => typeof readEnvelope(Buffer.from(changed)) === "string";
const parsed = (): { payload: string; payloadType: string; signatures: { keyid: string; sig: string }[] } =>
  JSON.parse(text) as never;

describe("a statement", () => {
  it("[ATTEST-1] names the commit and each head, and says which tests passed in the words of in-toto", () => {
    const said = JSON.parse(payload.toString()) as Record<string, never>;
    const head = Buffer.from(facts.heads[0]!, "base64url").toString("hex");
    expect(said).toMatchObject({
      _type: "https://in-toto.io/Statement/v1",
      subject: [
        { name: "git:HEAD", digest: { gitCommit: COMMIT } },
        { name: "taskfold:acme/repo/TASK-001", digest: { sha256: head } },
      ],
      predicateType: "https://in-toto.io/attestation/test-result/v0.1",
      predicate: {
        result: "PASSED",
        passedTests: ["TASK-001 s:0 npm test"],
        failedTests: [],
        configuration: [{ name: "TASK-001 s:0", digest: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } }],
      },
    });
  });

  it("[ATTEST-1] names plan, task, steps, confirmations, and each proof by its event", () => {
    const { predicate } = JSON.parse(payload.toString()) as { predicate: Record<string, object> };
    expect(predicate[VERIFICATION]).toMatchObject({
      workspace: "acme/repo",
      plan: { id: "PLAN-001" },
      entity: { id: "TASK-001", title: "A parser", root: facts.root },
      revision: 3,
      heads: facts.heads,
      steps: [
        {
          path: "s:0",
          titles: ["Write"],
          success_criteria: ["it parses"],
          tests: ["npm test"],
          proof: { tests: "attested" },
          confirmed: [{ checkpoint: "criteria", by: "human:ana", ts: "2026-01-01T00:00:00.000Z" }],
          evidence: [{ event: someRun().event, item: 0, exit_code: 0, degree: "captured", argv: ["npm", "test"] }],
        },
      ],
    });
  });

  it("[ATTEST-1] names as passed the commands that ran, and no declared test that did not", () => {
    const passed = (one: LoggedEvidence, more: Partial<LoggedStep> = {}) => {
      const said = JSON.parse(
        statementBytes(facts, COMMIT, [{ step: { ...step!, ...more }, evidence: [one] }]).toString(),
      );
      return (said as { predicate: { passedTests: string[] } }).predicate.passedTests;
    };
    expect(passed(someRun())).toEqual(["TASK-001 s:0 npm test"]);
    // A run that its caller called one of the declared test.
    const other = someRun({ command: "true" });
    expect(passed(other)).toEqual(["TASK-001 s:0 true"]);
    expect(statementBytes(facts, COMMIT, [{ step: step!, evidence: [other] }]).toString()).not.toContain('"test":');
    const { captured: _run, ...claim } = someRun();
    expect(passed(claim)).toEqual(["TASK-001 s:0 evidence:cmd-1"]);
    expect(passed(someRun(), { packet: true })).toEqual(["TASK-001 s:0 npm test", "TASK-001 s:0 the packet"]);
  });

  it("[ATTEST-1] is read back as what was signed; another subject, predicate or form is none", () => {
    expect(readStatement(payload)).toMatchObject({ kind: "attest", revision: 3, steps: [{ step_id: step!.step_id }] });
    const said = (): Record<string, unknown> => JSON.parse(payload.toString()) as never;
    const changed: object[] = [
      { ...said(), subject: [] },
      { ...said(), predicateType: "https://slsa.dev/provenance/v1" },
      { ...said(), _type: "https://in-toto.io/Statement/v0.1" },
      { ...said(), predicate: {} },
    ];
    for (const one of changed) expect(readStatement(Buffer.from(canonicalJson(one)))).toBeUndefined();
    expect(readStatement(Buffer.from(JSON.stringify(said(), null, 1)))).toBeUndefined();
    expect(
      readStatement(Buffer.from(payload.toString().replace('"revision":3', '"revision":3,"revision":3'))),
    ).toBeUndefined();
  });
});

describe("an envelope", () => {
  it("[ATTEST-3] has the PAE of DSSE under the signature, and names the key as ssh-keygen does", () => {
    // The example of the DSSE specification.
    const example = pae(Buffer.from("hello world"), "http://example.com/HelloWorld").toString();
    expect(example).toBe("DSSEv1 29 http://example.com/HelloWorld 11 hello world");
    const read = readEnvelope(Buffer.from(text));
    if (typeof read === "string") throw new Error(read);
    expect(read.signed.toString()).toBe(
      `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} ${payload.toString()}`,
    );
    expect(read.payload.equals(payload)).toBe(true);
    expect(read.key).toBe(key.fingerprint);
    expect(parsed().signatures[0]!.keyid).toBe(key.fingerprint);
    // What other tools do with it needs nothing of ours.
    const sig = key.file("sig", Buffer.from(parsed().signatures[0]!.sig, "base64"));
    const args = ["-Y", "check-novalidate", "-n", "taskfold", "-s", sig];
    expect(execFileSync("ssh-keygen", args, { input: read.signed, encoding: "utf8" })).toContain(key.fingerprint);
  });

  it("[ATTEST-3] has one text; every other one is none", () => {
    expect(isNone(text)).toBe(false);
    const one = parsed();
    const [own] = one.signatures;
    const armored = Buffer.from(own!.sig, "base64").toString();
    const others: [string, string][] = [
      ["no line feed", text.trimEnd()],
      ["two of them", `${text}\n`],
      ["cut short", text.slice(0, -30)],
      ["nothing", ""],
      ["not an object", "[]\n"],
      ["a blank", text.replace('"payload":', '"payload": ')],
      ["a member twice", text.replace('"payload":', '"payload":"AAAA","payload":')],
      ["another member", `${canonicalJson({ ...one, more: 1 })}\n`],
      ["another type", `${canonicalJson({ ...one, payloadType: "text/plain" })}\n`],
      ["no payload", `${canonicalJson({ ...one, payload: "" })}\n`],
      ["base64 of the web", `${canonicalJson({ ...one, payload: `${one.payload}-` })}\n`],
      ["no signature", `${canonicalJson({ ...one, signatures: [] })}\n`],
      ["two signatures", `${canonicalJson({ ...one, signatures: [own, own] })}\n`],
      ["another key", `${canonicalJson({ ...one, signatures: [{ ...own, keyid: "SHA256:x" }] })}\n`],
      ["a signature with more", `${canonicalJson({ ...one, signatures: [{ ...own, cert: "x" }] })}\n`],
      [
        "bytes behind the armor",
        `${canonicalJson({ ...one, signatures: [{ ...own, sig: base64(`${armored}x`) }] })}\n`,
      ],
      ["no armor", `${canonicalJson({ ...one, signatures: [{ ...own, sig: base64("x") }] })}\n`],
    ];
    for (const [what, changed] of others) expect([what, isNone(changed)]).toEqual([what, true]);
  });

  it("[ATTEST-1] configuration tells one definition of a step from another", () => {
    const digest = (tests: string[]): string => {
      const bytes = statementBytes(facts, COMMIT, [{ step: { ...someStep(), tests }, evidence: [] }]);
      return createHash("sha256")
        .update(
          canonicalJson(
            (JSON.parse(bytes.toString()) as { predicate: { configuration: object } }).predicate.configuration,
          ),
        )
        .digest("hex");
    };
    expect(digest(["npm test"])).toBe(digest(["npm test"]));
    expect(digest(["npm test"])).not.toBe(digest(["true"]));
  });
});

function base64(bytes: string): string {
  return Buffer.from(bytes).toString("base64");
}
