// @ts-check
/**
 * Ways to make a step pass `verify --signers` that is not proved. Each changes a copy of a repository with signed proof, and leaves its target
 * closed, or is refused. The attacker has no trusted key, and has old signatures, other keys and the tools of an agent.
 */
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copied, itemsOf, must, passPacket, short, STAGE, VERIFICATION, withAgent, withAskpass } from "./world.mjs";

/** @typedef {import("./world.mjs").Forger} Forger */
/** @typedef {import("./world.mjs").Target} Target */
/** @typedef {import("./world.mjs").Statement} Statement */
/** @typedef {import("./world.mjs").JsonObject} JsonObject */
/** @typedef {import("../../../src/log/types.ts").Event} Event */
/** @typedef {{ event: Event, id: string }} Run */
/**
 * `forge` answers true if the attacker was refused, so that the step need not be closed.
 * @typedef {{
 *   name: string,
 *   target?: Target,
 *   read?: { seen?: boolean, fresh?: boolean, byMode?: boolean, file?: string },
 *   forge: (f: Forger) => boolean | void | Promise<boolean | void>,
 * }} Way
 */

const T = "TASK-001";
/** Tasks with a packet that passed and was signed, and with one that never ran. */
const [PASSED, NEVER_RAN] = ["TASK-005", "TASK-006"];
/** @type {Target} */
const UNPROVED = { task: T, title: "Print" };
/** @param {string} task @returns {Target} */
const parse = (task) => ({ task, title: "Parse" });

/** A made-up run of "Print", an envelope that the attacker makes for it, and the closing. @param {(f: Forger, run: Run, step: string) => string | Uint8Array} envelope @param {JsonObject} [more] @returns {Way["forge"]} */
const withEnvelope = (envelope, more) => (f) => {
  const step = f.stepId(T, "Print");
  const run = f.fakeRun(T, step);
  f.attach(T, envelope(f, run, step), [run.id], more);
  f.close(T, step);
};

/** Ana's envelope of "Parse", changed as a text. @param {(f: Forger, text: string) => string} change @returns {Way["forge"]} */
const changedEnvelope = (change) => withEnvelope((f) => change(f, String(f.envelopes(T)[0])));

/** Ana's signature over other bytes than she signed. @param {(f: Forger, statement: Statement, step: string, run: Run) => void} change @returns {Way["forge"]} */
const changedStatement = (change) =>
  withEnvelope((f, run, step) => {
    const [envelope] = f.envelopes(T);
    const statement = f.statement(/** @type {Buffer} */ (envelope));
    change(f, statement, step, run);
    return f.sealed(f.bytesOf(statement), f.signature(/** @type {Buffer} */ (envelope)));
  });

/** The statement that the attacker wants, signed by a key that he has. @param {"eve" | "mona" | "old" | "lost"} key @param {{ namespace?: string }} [options] @returns {Way["forge"]} */
const signedBy = (key, options) =>
  withEnvelope((f, run, step) => {
    const bytes = f.bytesOf(f.wanted(T, step, run.event));
    return f.sealed(bytes, f.signedBy(f.keys[key], bytes, options));
  });

/**
 * A statement that ana signed with another program. All of it is right but for one thing.
 * @param {(f: Forger, statement: Statement, run: Run) => void} change @param {JsonObject} [item] @param {boolean} [isAgain]
 * @returns {Way["forge"]}
 */
const byAna = (change, item, isAgain) => (f) => {
  const step = f.stepId(T, "Print");
  const run = f.fakeRun(T, step, item);
  const statement = f.wanted(T, step, run.event);
  change(f, statement, run);
  const bytes = f.bytesOf(statement);
  f.attach(T, f.sealed(bytes, f.signedBy(f.keys.ana, bytes)), [run.id]);
  if (isAgain) {
    f.define(T, step, { proof: { tests: "captured" } });
    f.fakeRun(T, step);
  }
  f.close(T, step);
};

/** Changes lines of a log, and makes every hash right again. @param {(event: Event, f: Forger) => void} change @param {string} [task] @returns {Way["forge"]} */
const rehashed =
  (change, task = T) =>
  (f) => {
    const events = f.log(task);
    for (const event of events) change(event, f);
    f.write(task, f.resealed(events));
  };

const runs = (/** @type {Event} */ event) =>
  event.type === "evidence.captured" && itemsOf(event).some((item) => item.exit_code !== undefined);

/** The first item of an event of evidence. @param {Event | undefined} event */
const itemOf = (event) => must(itemsOf(must(event))[0]);

/** After the change the step is closed again, if the change opened it. @param {string} task @param {(f: Forger, step: string) => void} change @returns {Way["forge"]} */
const thenClosed = (task, change) => (f) => {
  const step = f.stepId(task, "Parse");
  change(f, step);
  f.close(task, step);
};

/** The digest of bytes that the run of "Parse" kept. @param {Forger} f */
const keptOf = (f) => {
  const { captured, stdout } = itemOf(f.log(T).find(runs));
  return must(captured?.changes ?? stdout).sha256;
};

/** A run of "Print" that passes. @param {Forger} f */
const ranPrint = async (f) => {
  writeFileSync(join(f.root, "print.mjs"), "process.exit(0);\n");
  await f.taskfold(["run", T, "Print", "--for", "tests", "--", "node", "print.mjs"]);
};

/** The packet of a task is changed, and its step closed once more. @param {string} task @param {(f: Forger) => void | Promise<void>} change @returns {Way["forge"]} */
const byPacket = (task, change) => async (f) => {
  await change(f);
  f.close(task, f.stepId(task, "Parse"));
};

/** A run that was never made closes the step, of which the mode asks for no signature any more. @param {"captured" | "repeated"} mode @returns {Way["forge"]} */
const madeUp = (mode) => (f) => {
  const step = f.stepId(T, "Print");
  f.define(T, step, { proof: { tests: mode } });
  f.fakeRun(T, step);
  f.close(T, step);
};

/** @type {Way[]} */
export const WAYS = [
  // Claims and modes
  {
    name: "a claim is recorded, and the mode is taken off",
    forge: async (f) => {
      const step = f.stepId(T, "Print");
      f.define(T, step, { proof: { tests: "off" } });
      await f.taskfold([
        "call",
        "tasks_evidence_capture",
        JSON.stringify({
          task: T,
          step_id: step,
          checkpoint: "tests",
          items: [{ kind: "run", command: "node print.mjs", exit_code: 0, stdout: "ok" }],
        }),
      ]);
      f.close(T, step);
    },
  },
  {
    name: "the mode is lowered to require, with the tools",
    forge: async (f) => {
      const step = f.stepId(T, "Print");
      await f.taskfold([
        "call",
        "tasks_define",
        JSON.stringify({ task: T, step_id: step, proof: { tests: "require" } }),
      ]);
      await f.taskfold([
        "call",
        "tasks_evidence_capture",
        JSON.stringify({ task: T, step_id: step, checkpoint: "tests", checks: ["CMD: node print.mjs"] }),
      ]);
      await f.taskfold(["done", T, "Print", "--confirm", "gate"]);
    },
  },
  {
    name: "the log says that a run was captured that was never made",
    forge: madeUp("captured"),
  },
  {
    name: "the log says that a repeat was made in a clean checkout",
    forge: madeUp("repeated"),
  },
  {
    name: "the tool is given a captured run",
    forge: async (f) => {
      const item = {
        kind: "run",
        command: "node print.mjs",
        exit_code: 0,
        captured: { argv: ["true"], env: [], started_at: "x", ended_at: "y", platform: "z" },
      };
      await f.taskfold(
        [
          "call",
          "tasks_evidence_capture",
          JSON.stringify({ task: T, step_id: f.stepId(T, "Print"), checkpoint: "tests", items: [item] }),
        ],
        { fails: true },
      );
      return true;
    },
  },
  {
    name: "the tool is given an attestation",
    forge: async (f) => {
      const item = {
        kind: "run",
        attestation: {
          envelope: String(f.envelopes(T)[0]),
          of: ["x"],
          head: "x",
          revision: 1,
          git_commit: "x",
          key: "x",
        },
      };
      await f.taskfold(["call", "tasks_evidence_capture", JSON.stringify({ task: T, items: [item] })], { fails: true });
      return true;
    },
  },
  {
    name: "the step is closed by the tools without a signature",
    forge: async (f) => {
      await f.taskfold(["done", T, "Print", "--confirm", "gate"], { fails: true });
      return true;
    },
  },
  {
    name: "the step is closed by the tools on a signature of an untrusted key",
    forge: async (f) => {
      await ranPrint(f);
      await f.taskfold(["attest", T, "Print", "--key", f.keys.eve]);
      await f.taskfold(["done", T, "Print", "--confirm", "gate"], { fails: true });
      return true;
    },
  },
  {
    name: "the step says that the packet proves its tests",
    forge: async (f) => {
      const step = f.stepId(T, "Print");
      f.define(T, step, { packet: true });
      f.fakeRun(T, step);
      f.close(T, step);
      // No reader takes the step for closed: a packet alone proves it, and there is none.
      return true;
    },
  },
  // Packets
  {
    name: "a stage of the packet is said to have passed that never ran",
    target: parse(NEVER_RAN),
    forge: byPacket(NEVER_RAN, (f) => f.forgePass(NEVER_RAN)),
  },
  {
    name: "the same stage says that Taskfold ran the commands",
    target: parse(NEVER_RAN),
    forge: byPacket(NEVER_RAN, (f) => {
      f.forgePass(NEVER_RAN, { captured: true });
      f.fakeRun(NEVER_RAN, f.stepId(NEVER_RAN, "Parse"), { command: "node parse.mjs", test: "node parse.mjs" });
    }),
  },
  {
    name: "a brief that was never given overrides the acceptance commands, as older releases let it",
    target: parse(NEVER_RAN),
    forge: byPacket(NEVER_RAN, (f) => {
      const payload = { commands: ["true"], run: null, message: "The brief named its commands" };
      f.append(NEVER_RAN, [{ type: "packet.override_set", payload }]);
      f.forgePass(NEVER_RAN, { command: "true", isOld: true });
    }),
  },
  {
    name: "the gate judges by a manifest that was edited",
    target: parse(NEVER_RAN),
    forge: byPacket(NEVER_RAN, (f) => {
      f.editManifest(NEVER_RAN, ["true"]);
      f.forgePass(NEVER_RAN, { command: "true" });
    }),
  },
  {
    name: "the acceptance commands are patched, and the stage passes, all with the tools",
    target: parse(NEVER_RAN),
    forge: async (f) => {
      const manifest = { acceptance: { commands: ["true"], criteria: [] } };
      await f.taskfold(["call", "packet_patch", JSON.stringify({ task: NEVER_RAN, manifest })]);
      await passPacket(f.root, NEVER_RAN, "true");
      await f.taskfold(["done", NEVER_RAN, "s:0", "--confirm", "gate"]);
    },
  },
  {
    name: "results are made up and reported, and eve signs the packet",
    target: parse(NEVER_RAN),
    forge: async (f) => {
      await passPacket(f.root, NEVER_RAN);
      await f.taskfold(["attest", NEVER_RAN, "s:0", "--claims", "--key", f.keys.eve]);
      await f.taskfold(["done", NEVER_RAN, "s:0", "--confirm", "gate"]);
    },
  },
  {
    name: "ana's signature of one packet is copied to another",
    target: parse(NEVER_RAN),
    forge: byPacket(NEVER_RAN, (f) => {
      f.forgePass(NEVER_RAN);
      f.attach(NEVER_RAN, f.envelopes(PASSED)[0] ?? "", ["x"]);
    }),
  },
  {
    name: "ana's signature of the history of a packet covers a stage that never ran",
    target: parse(NEVER_RAN),
    forge: async (f) => {
      f.forgePass(NEVER_RAN);
      f.close(NEVER_RAN, f.stepId(NEVER_RAN, "Parse"));
      await f.taskfold(["sign", NEVER_RAN, "--key", f.keys.ana], { by: "ana" });
    },
  },
  {
    name: "the manifest of a signed packet is edited, and its stage passes again",
    target: parse(PASSED),
    forge: byPacket(PASSED, (f) => {
      f.editManifest(PASSED, ["true"]);
      f.forgePass(PASSED, { command: "true" });
    }),
  },
  {
    name: "a stage of a signed packet is opened again, and passes without being run",
    target: parse(PASSED),
    forge: byPacket(PASSED, (f) => {
      f.append(PASSED, [
        { type: "stage.reopened", payload: { stage: STAGE, reason: "look again", message: "Reopened" } },
      ]);
      f.forgePass(PASSED);
    }),
  },
  {
    name: "the results in a signed packet are edited, and all hashes are made right",
    target: parse(PASSED),
    forge: rehashed((event) => {
      if (event.type === "stage.finished") event.payload["duration_sec"] = 7;
    }, PASSED),
  },
  {
    name: "a signed run gives way to a packet without a signature",
    target: parse(T),
    forge: thenClosed(T, (f, step) => {
      f.editManifest(T, ["true"]);
      f.define(T, step, { packet: true, proof: { tests: "require" } });
      f.forgePass(T, { command: "true" });
    }),
  },
  // Keys
  {
    name: "eve's key signs from an agent",
    forge: async (f) => {
      await ranPrint(f);
      await withAgent([f.keys.eve], () => f.taskfold(["attest", T, "Print", "--key", `${f.keys.eve}.pub`]));
      f.close(T, f.stepId(T, "Print"));
    },
  },
  {
    name: "agnes' public key is named beside an agent that lacks her private one",
    forge: async (f) => {
      await ranPrint(f);
      rmSync(join(f.root, "../stolen"), { recursive: true, force: true });
      copied(`${f.keys.agnes}.pub`, join(f.root, "../stolen/agnes.pub"));
      const key = join(f.root, "../stolen/agnes.pub");
      await withAgent([f.keys.eve], () => f.taskfold(["attest", T, "Print", "--key", key], { fails: true }));
      return true;
    },
  },
  {
    name: "paula's key was stolen, and its passphrase is guessed",
    forge: async (f) => {
      await ranPrint(f);
      await withAskpass(f.keys.wrong, () => f.taskfold(["attest", T, "Print", "--key", f.keys.paula], { fails: true }));
      return true;
    },
  },
  { name: "an untrusted key signs", forge: signedBy("eve") },
  { name: "an expired key signs, at a time when it was good", forge: signedBy("old") },
  { name: "a key signs that the reader's file allows and his git revoked", forge: signedBy("lost") },
  { name: "a key that may sign commits alone signs", forge: signedBy("mona") },
  { name: "a key that may sign commits alone signs for git", forge: signedBy("mona", { namespace: "git" }) },
  {
    name: "ana's signature for another use is shown",
    forge: withEnvelope((f, run, step) => {
      // She signed these bytes for a program that asked for it, in its own namespace.
      const bytes = f.bytesOf(f.wanted(T, step, run.event));
      return f.sealed(bytes, f.signedBy(f.keys.ana, bytes, { namespace: "file" }));
    }),
  },
  {
    name: "ana's signature of a commit is shown",
    forge: withEnvelope((f, run, step) => {
      const bytes = f.bytesOf(f.wanted(T, step, run.event));
      return f.sealed(bytes, f.signedBy(f.keys.ana, bytes, { namespace: "git" }));
    }),
  },
  {
    name: "the envelope names ana's key beside eve's signature",
    forge: withEnvelope((f, run, step) => {
      const bytes = f.bytesOf(f.wanted(T, step, run.event));
      const envelope = JSON.parse(f.sealed(bytes, f.signedBy(f.keys.eve, bytes)));
      envelope.signatures[0].keyid = JSON.parse(String(f.envelopes(T)[0])).signatures[0].keyid;
      return f.text(envelope);
    }),
  },
  {
    name: "the event names ana's key beside eve's signature",
    forge: withEnvelope(
      (f, run, step) => {
        const bytes = f.bytesOf(f.wanted(T, step, run.event));
        return f.sealed(bytes, f.signedBy(f.keys.eve, bytes));
      },
      { key: "SHA256:of-ana" },
    ),
  },
  {
    name: "eve's key stands in ana's name in a committed file of signers, which the reader's git names",
    read: { file: "" },
    forge: async (f) => {
      await signedBy("eve")(f);
      writeFileSync(join(f.root, "allowed_signers"), `ana@example.org ${readFileSync(`${f.keys.eve}.pub`, "utf8")}`);
      f.git("add", "-A");
      f.git("commit", "-qm", "Trust me");
      f.git("config", "gpg.ssh.allowedSignersFile", "allowed_signers");
      return true;
    },
  },
  {
    name: "a committed configuration that .git/config includes names another file of signers",
    read: { file: "" },
    forge: async (f) => {
      await signedBy("eve")(f);
      const file = join(f.root, "../eve_signers");
      writeFileSync(file, `ana@example.org ${readFileSync(`${f.keys.eve}.pub`, "utf8")}`);
      writeFileSync(join(f.root, "gitconfig"), `[gpg "ssh"]\n\tallowedSignersFile = ${file}\n`);
      f.git("config", "--unset", "gpg.ssh.allowedSignersFile");
      f.git("config", "include.path", "../gitconfig");
      return true;
    },
  },
  {
    name: "the reader's file is a link into the work tree",
    read: { file: "../linked_signers" },
    forge: async (f) => {
      await signedBy("eve")(f);
      writeFileSync(join(f.root, "allowed_signers"), `ana@example.org ${readFileSync(`${f.keys.eve}.pub`, "utf8")}`);
      symlinkSync(join(f.root, "allowed_signers"), join(f.root, "../linked_signers"));
      return true;
    },
  },
  // Envelopes
  { name: "ana's envelope of one step is attached to another", forge: changedEnvelope((_f, text) => text) },
  {
    name: "a signature is moved to another head in the event",
    forge: withEnvelope((f) => f.envelopes(T)[0] ?? "", { head: "A".repeat(43), revision: 999 }),
  },
  {
    name: "the head in the statement is another",
    forge: changedStatement((f, statement) => {
      must(statement.predicate[VERIFICATION]).heads = [must(f.log(T).at(-1)).hash];
    }),
  },
  {
    name: "the step in the statement is another",
    forge: changedStatement((f, statement, step, run) => Object.assign(statement, f.wanted(T, step, run.event))),
  },
  {
    name: "ana signed a run that failed, and one passed that she did not sign",
    forge: byAna(() => undefined, { exit_code: 1, counts: true }, true),
  },
  {
    name: "ana signed a run that does not count, and one came that she did not sign",
    forge: byAna(() => undefined, { counts: false }, true),
  },
  {
    name: "ana signed another subject than the predicate has",
    forge: byAna((_f, statement) => void (must(statement.subject[0]).digest["gitCommit"] = "0".repeat(40))),
  },
  {
    name: "ana signed a head that does not stand for the run",
    forge: byAna((f, statement, { event }) => {
      const before = must(f.log(T).find(({ hash }) => event.prev.includes(hash))).hash;
      must(statement.predicate[VERIFICATION]).heads = [before];
      must(statement.subject.at(-1)).digest["sha256"] = Buffer.from(before, "base64url").toString("hex");
    }),
  },
  {
    name: "a statement of history is called one of tests",
    forge: withEnvelope((f, run, step) => {
      const envelope = /** @type {Buffer} */ (f.envelopes(T).at(-1));
      return f.sealed(f.bytesOf(f.wanted(T, step, run.event)), f.signature(envelope));
    }),
  },
  { name: "the envelope is cut short", forge: changedEnvelope((_f, text) => text.slice(0, -40)) },
  { name: "the envelope is empty", forge: changedEnvelope(() => "") },
  {
    name: "the payload stands twice in the envelope",
    forge: withEnvelope((f, run, step) => {
      const wanted = f.bytesOf(f.wanted(T, step, run.event)).toString("base64");
      return String(f.envelopes(T)[0]).replace('"payload":', `"payload":"${wanted}","payload":`);
    }),
  },
  {
    name: "the payload stands twice in the envelope, the signed one first",
    forge: withEnvelope((f, run, step) => {
      const wanted = f.bytesOf(f.wanted(T, step, run.event)).toString("base64");
      return String(f.envelopes(T)[0]).replace(',"payloadType"', `,"payload":"${wanted}","payloadType"`);
    }),
  },
  {
    name: "a step stands twice in the statement",
    forge: withEnvelope((f) => {
      const envelope = /** @type {Buffer} */ (f.envelopes(T)[0]);
      const text = String(f.bytesOf(f.statement(envelope))).replace(
        '"step_id":',
        '"step_id":"STEP-00000000","step_id":',
      );
      return f.sealed(Buffer.from(text), f.signature(envelope));
    }),
  },
  {
    name: "a second signature stands in the envelope",
    forge: withEnvelope((f, run, step) => {
      const bytes = f.bytesOf(f.wanted(T, step, run.event));
      const envelope = JSON.parse(f.sealed(bytes, f.signedBy(f.keys.eve, bytes)));
      envelope.signatures.unshift(...JSON.parse(String(f.envelopes(T)[0])).signatures);
      return f.text(envelope);
    }),
  },
  {
    name: "an envelope without a signature",
    forge: changedEnvelope((f, text) => f.text({ ...JSON.parse(text), signatures: [] })),
  },
  {
    name: "another type of payload",
    forge: changedEnvelope((f, text) => f.text({ ...JSON.parse(text), payloadType: "application/json" })),
  },
  {
    name: "the base64 of the payload has blanks",
    forge: changedEnvelope((_f, text) => text.replace('"payload":"', '"payload":"\\n')),
  },
  { name: "bytes stand behind the envelope", forge: changedEnvelope((_f, text) => `${text}${text}`) },
  {
    name: "the signature has no armor",
    forge: changedEnvelope((f, text) => {
      const envelope = JSON.parse(text);
      const armored = Buffer.from(envelope.signatures[0].sig, "base64").toString().split("\n").slice(1, -2).join("");
      envelope.signatures[0].sig = armored;
      return f.text(envelope);
    }),
  },
  {
    name: "bytes stand behind the signature",
    forge: changedEnvelope((f, text) => {
      const envelope = JSON.parse(text);
      const { sig } = envelope.signatures[0];
      envelope.signatures[0].sig = Buffer.concat([Buffer.from(sig, "base64"), Buffer.from("more\n")]).toString(
        "base64",
      );
      return f.text(envelope);
    }),
  },
  {
    name: "the blob of the envelope is another than its name",
    target: parse(T),
    forge: async (f) => {
      const [envelope] = f.envelopes(T);
      const { sha256 } = f.blob(T, envelope ?? "");
      writeFileSync(
        join(f.root, ".coco/tasks", T, "shared/evidence/blobs", sha256),
        String(envelope).replace(/.{9}\n$/, "\n"),
      );
    },
  },
  // Signatures of elsewhere and before
  {
    name: "the signature of another task with the same words is copied",
    forge: withEnvelope((f) => f.envelopes("TASK-002")[0] ?? ""),
  },
  {
    name: "the signature of another workspace on the same id is copied",
    forge: withEnvelope((f) => f.envelopes(T, f.other).at(-1) ?? ""),
  },
  {
    name: "the log of another workspace with the same id stands in the place of this one",
    forge: async (f) => {
      rmSync(join(f.root, ".coco/tasks", T), { recursive: true });
      copied(join(f.other, ".coco/tasks", T), join(f.root, ".coco/tasks", T));
    },
  },
  {
    name: "a signed task is copied under another id",
    target: parse("TASK-009"),
    forge: async (f) => {
      copied(join(f.root, ".coco/tasks", T), join(f.root, ".coco/tasks/TASK-009"));
    },
  },
  {
    name: "a signed task takes the id of another",
    target: parse("TASK-002"),
    forge: async (f) => {
      rmSync(join(f.root, ".coco/tasks/TASK-002"), { recursive: true });
      renameSync(join(f.root, ".coco/tasks", T), join(f.root, ".coco/tasks/TASK-002"));
    },
  },
  {
    name: "an old signature serves for a test that was declared since",
    target: parse("TASK-003"),
    forge: thenClosed("TASK-003", (f, step) => f.define("TASK-003", step, { proof: { tests: "off" } })),
  },
  {
    name: "an old signature is recorded once more for a made-up run of the new test",
    target: parse("TASK-003"),
    forge: thenClosed("TASK-003", (f, step) => {
      const run = f.fakeRun("TASK-003", step);
      f.attach("TASK-003", f.envelopes("TASK-003")[0] ?? "", [run.id]);
    }),
  },
  {
    name: "a signature over history alone covers a closing without proof",
    forge: async (f) => {
      const step = f.stepId(T, "Print");
      f.define(T, step, { proof: { tests: "off" } });
      f.close(T, step);
      // Ana signs the history as it is, which says nothing of proof.
      await f.taskfold(["sign", T, "--key", f.keys.ana], { by: "ana" });
    },
  },
  // Words that were signed are changed
  {
    name: "the declared test is changed",
    target: parse(T),
    forge: thenClosed(T, (f, step) => f.define(T, step, { tests: ["node print.mjs"], proof: { tests: "require" } })),
  },
  {
    name: "a declared test is added",
    target: parse(T),
    forge: thenClosed(T, (f, step) =>
      f.define(T, step, { tests: ["node parse.mjs", "node print.mjs"], proof: { tests: "require" } }),
    ),
  },
  {
    name: "the criteria are changed",
    target: parse(T),
    forge: thenClosed(T, (f, step) => f.define(T, step, { success_criteria: ["it parses and prints"] })),
  },
  {
    name: "the step gets another title",
    target: { task: T, title: "Parse and print" },
    forge: thenClosed(T, (f, step) => f.define(T, step, { title: "Parse and print" })),
  },
  {
    name: "the task gets another title",
    target: parse(T),
    forge: async (f) => void (await f.taskfold(["edit", T, "--title", "A safe parser"])),
  },
  {
    name: "the mode of the step is taken off after the signature, and its test is another",
    target: parse(T),
    read: { byMode: true },
    forge: thenClosed(T, (f, step) => f.define(T, step, { tests: ["true"], proof: { tests: "off" } })),
  },
  {
    name: "another step takes the id of the signed one",
    forge: async (f) => {
      const [signed, step] = [f.stepId(T, "Parse"), f.stepId(T, "Print")];
      const events = f
        .log(T)
        .map((event) =>
          JSON.parse(
            JSON.stringify(event)
              .replaceAll(step, "STEP-0000000X")
              .replaceAll(signed, step)
              .replaceAll("STEP-0000000X", signed),
          ),
        );
      f.write(T, f.resealed(events));
      f.define(T, f.stepId(T, "Print"), { proof: { tests: "off" } });
      f.close(T, f.stepId(T, "Print"));
    },
  },
  {
    name: "a new step of the same words claims the signed run",
    target: { task: T, title: "Parse " },
    forge: async (f) => {
      const step = {
        id: "STEP-0EEE0000",
        title: "Parse ",
        success_criteria: ["it parses"],
        tests: ["node parse.mjs"],
        blockers: [],
        proof: { tests: "off" },
      };
      f.append(T, [{ type: "steps.added", payload: { parent: null, steps: [step], message: "Added" } }]);
      f.attach(T, f.envelopes(T)[0] ?? "", ["x"]);
      f.close(T, step.id);
    },
  },
  {
    name: "a branch from before the signature declares another test",
    target: parse(T),
    forge: async (f) => {
      const events = f.log(T);
      const before = events.findIndex(runs) - 1;
      f.append(
        T,
        [
          {
            type: "step.defined",
            payload: { step_id: f.stepId(T, "Parse"), tests: ["true"], proof: { tests: "off" }, message: "Defined" },
          },
        ],
        { upon: must(events[before]) },
      );
      f.close(T, f.stepId(T, "Parse"));
    },
  },
  // History is written anew
  {
    name: "the exit code of a run is edited in its line",
    target: parse("TASK-004"),
    forge: async (f) => {
      const events = f.log("TASK-004");
      for (const event of events.filter(runs)) itemOf(event).exit_code = 0;
      f.write("TASK-004", events);
    },
  },
  {
    name: "the exit code of a run is edited, and all hashes are made right",
    target: parse("TASK-004"),
    forge: rehashed((event) => {
      if (!runs(event)) return;
      Object.assign(itemOf(event), { exit_code: 0, counts: true });
    }, "TASK-004"),
  },
  {
    name: "the signed run is edited, and all hashes are made right",
    target: parse(T),
    forge: rehashed((event) => {
      if (runs(event)) must(itemOf(event).captured).git_commit = "0".repeat(40);
    }),
  },
  {
    name: "who captured it is edited, and all hashes are made right",
    target: parse(T),
    forge: rehashed((event) => {
      if (runs(event)) event.by = "human:ana";
    }),
  },
  {
    name: "the digest of the output is edited, and all hashes are made right",
    target: parse(T),
    forge: rehashed((event, f) => {
      if (runs(event))
        itemOf(event).stdout = { ...f.blob(T, "all 99 tests passed\n"), excerpt: "all 99 tests passed\n" };
    }),
  },
  {
    name: "the history is written anew and signed by eve",
    target: parse("TASK-004"),
    forge: async (f) => {
      const events = f.log("TASK-004");
      for (const event of events.filter(runs)) Object.assign(itemOf(event), { exit_code: 0, counts: true });
      f.write("TASK-004", f.resealed(events));
      await f.taskfold(["sign", "TASK-004", "--key", f.keys.eve]);
    },
  },
  {
    name: "the log is begun anew, with an old signature in it",
    target: parse(T),
    forge: rehashed((event) => {
      if (event.type === "task.created") event.payload["description"] = "begun anew";
    }),
  },
  {
    name: "the failed run is cut out of the middle, and the gap is declared",
    target: parse("TASK-004"),
    forge: async (f) => {
      const events = f.log("TASK-004");
      const at = events.findIndex((event) => runs(event) && itemOf(event).exit_code !== 0);
      const [gone, before] = [must(events[at]).hash, must(events[at - 1])];
      f.write("TASK-004", events.toSpliced(at, 1));
      f.append("TASK-004", [{ type: "log.gap", payload: { void: [gone], message: "Lost" } }], { upon: before });
    },
  },
  {
    name: "the tail with the failed run and the checkpoint is dropped",
    target: parse("TASK-004"),
    read: { seen: true },
    forge: async (f) => {
      const events = f.log("TASK-004");
      f.write("TASK-004", events.slice(0, events.findLastIndex(({ type }) => type === "step.done") + 1));
    },
  },
  {
    name: "the whole log is dropped for one without a past",
    target: { task: "TASK-004", title: "Parse" },
    read: { seen: true },
    forge: async (f) => {
      rmSync(join(f.root, ".coco/tasks/TASK-004"), { recursive: true });
      copied(join(f.root, ".coco/tasks/TASK-002"), join(f.root, ".coco/tasks/TASK-004"));
      rmSync(join(f.root, ".coco/tasks/TASK-002"), { recursive: true });
    },
  },
  {
    name: "a line comes again with other words and its old hash",
    target: parse("TASK-004"),
    forge: async (f) => {
      const events = f.log("TASK-004");
      const failed = events.findLastIndex(runs);
      const again = structuredClone(must(events[failed]));
      Object.assign(itemOf(again), { exit_code: 0, counts: true });
      f.write("TASK-004", events.toSpliced(failed, 0, again));
    },
  },
  // Runs that failed since
  {
    name: "a failed run is hidden by a claim of the same command",
    target: parse("TASK-004"),
    forge: async (f) => {
      const items = [{ kind: "run", command: "node parse.mjs", exit_code: 0, stdout: "ok" }];
      await f.taskfold([
        "call",
        "tasks_evidence_capture",
        JSON.stringify({ task: "TASK-004", path: "s:0", checkpoint: "tests", items }),
      ]);
    },
  },
  {
    name: "a failed run is hidden by a made-up captured one",
    target: parse("TASK-004"),
    forge: async (f) => {
      f.fakeRun("TASK-004", f.stepId("TASK-004", "Parse"), {
        command: "node parse.mjs",
        title: "node parse.mjs",
        test: "node parse.mjs",
      });
    },
  },
  {
    name: "a failed run is superseded with a reason",
    target: parse("TASK-004"),
    forge: async (f) => {
      const id = `cmd-${short(must(f.log("TASK-004").findLast(runs)).hash)}-1`;
      await f.taskfold([
        "call",
        "tasks_evidence_capture",
        JSON.stringify({ task: "TASK-004", path: "s:0", supersedes: [id], reason: "flaky" }),
      ]);
    },
  },
  {
    name: "a proof that was superseded is still signed",
    target: parse(T),
    forge: thenClosed(T, (f, step) => {
      const id = `cmd-${short(must(f.log(T).find(runs)).hash)}-1`;
      const payload = {
        step_id: step,
        checkpoints: ["tests"],
        items: [],
        supersedes: [id],
        reason: "it tested nothing",
      };
      f.append(T, [{ type: "evidence.captured", payload: { ...payload, message: "Superseded" } }]);
    }),
  },
  // Bytes beside the log
  {
    name: "the kept output gets other bytes",
    target: parse(T),
    forge: async (f) => {
      writeFileSync(join(f.root, ".coco/tasks", T, "shared/evidence/blobs", keptOf(f)), "other bytes\n");
    },
  },
  {
    name: "the kept output is gone",
    target: parse(T),
    forge: async (f) => {
      rmSync(join(f.root, ".coco/tasks", T, "shared/evidence/blobs", keptOf(f)));
    },
  },
  // The repository
  {
    name: "the tested file is changed after the run",
    target: parse(T),
    read: { fresh: true },
    forge: async (f) => {
      writeFileSync(join(f.root, "parse.mjs"), "process.exit(1);\n");
    },
  },
  {
    name: "a later commit changes the tested file",
    target: parse(T),
    read: { fresh: true },
    forge: async (f) => {
      writeFileSync(join(f.root, "parse.mjs"), "process.exit(1);\n");
      f.git("commit", "-qam", "Quicker");
    },
  },
  {
    name: "the signed commit is amended",
    target: parse(T),
    forge: async (f) => {
      writeFileSync(join(f.root, "parse.mjs"), "process.exit(1);\n");
      f.git("checkout", "-q", "--orphan", "again");
      f.git("add", "-A");
      f.git("commit", "-qm", "Begin");
    },
  },
  {
    name: "the commits are pulled into another repository without their past",
    target: parse(T),
    forge: async (f) => {
      rmSync(join(f.root, ".git"), { recursive: true });
      f.git("init", "-q", "-b", "main");
      f.git("add", "-A");
      f.git("commit", "-qm", "Begin");
    },
  },
];

export { UNPROVED };
