import { ACCEPTANCE_MODES } from "../../../state/packet_config.ts";
import { onWhole } from "../command/call_words.ts";
import type { Make } from "../command/call_words.ts";
import type { CommandDefinition } from "../command/define.ts";
import { argument, option } from "../command/define.ts";
import { expected, SOME_ID } from "../command/values.ts";

const CONFIG = option(
  "--config <dir>",
  "folder with servant/ and pipeline/ (default: configs of the workspace, else what is built in)",
);
const MANIFEST = argument("<manifest>", "a YAML file; - reads it from stdin");
const STAGE = argument("<stage>", "such as codex_impl");
const ALLOW_COMMANDS = option(
  "--allow-commands [whose]",
  "run the acceptance commands: of the brief, of the manifest, or both (default: as configs/ says, else brief); without a brief's, those of the manifest",
  { choices: ACCEPTANCE_MODES },
);
const PROGRESS = option(
  "--progress <sec>",
  "seconds between two lines about a stage that runs; 0: none (default: 10)",
  { parse: seconds },
);
const REASON = option("--reason <text>", "why, for those who read the log", { isRequired: true });

/** A call on a stage of a packet. */
function onStage(more: Make = () => []): Make {
  return onWhole((args, intent) => {
    const [stage, rest] = [args.take("stage"), more(args, intent)];
    return stage === undefined || rest === undefined ? undefined : [stage, ...rest];
  });
}

/** Stages by hand and by the dispatcher. */
const stages = (): CommandDefinition[] => [
  {
    name: "validate",
    description: "check a manifest and write nothing",
    arguments: [MANIFEST],
    options: [
      option("--task <id>", "for this task, whatever the manifest says"),
      option("--id <id>", "for a task that is to be made with this id"),
      CONFIG,
    ],
    run: async (session, [manifest]: [string], options) =>
      (await import("../packet/packet.ts")).validate(session, manifest, options),
  },
  {
    name: "create",
    description: "make a task of a manifest, with the id that it gives",
    tools: ["packet_define"],
    arguments: [MANIFEST],
    options: [
      option("--task <id>", "give the packet to this task instead"),
      option("--id <id>", "make the task with this id instead"),
      option("--inputs <dir>", "folder with user_request.md, context_pack.md and attachments/"),
      CONFIG,
    ],
    intent: "packet_define",
    run: async (session, [manifest]: [string], options) =>
      (await import("../packet/packet.ts")).create(session, manifest, options),
  },
  {
    name: "plan",
    description: "the stages with model and time limit, and where each value comes from",
    tools: ["packet_plan"],
    arguments: [{ ...SOME_ID, name: "[id]" }],
    options: [option("--manifest <file>", "of a manifest instead of a task"), CONFIG],
    calls: { packet_plan: onWhole() },
    run: async (session, [id]: [string?], options) =>
      (await import("../packet/packet.ts")).plan(session, session.meant(id, "task"), options),
  },
  {
    name: "compose",
    description: "write the prompt of a stage and print where it is; runs nothing",
    arguments: [SOME_ID, STAGE],
    options: [CONFIG],
    run: async (session, [id, stage]: [string, string], options) =>
      (await import("../packet/stage.ts")).compose(session, session.meant(id, "task"), stage, options),
  },
  {
    name: "run",
    description: "run the stages until the packet is done or stops; goes on where a killed run left it",
    arguments: [SOME_ID],
    options: [
      option("--stage <stage>", "one attempt of this stage, whatever stands before it"),
      ALLOW_COMMANDS,
      PROGRESS,
      CONFIG,
    ],
    run: async (session, [id]: [string], options) =>
      (await import("../packet/run.ts")).run(session, session.meant(id, "task"), options),
  },
  {
    name: "start",
    description: "begin a stage that you run yourself: its prompt is written, and it is paid for",
    tools: ["packet_stage_start"],
    arguments: [SOME_ID, STAGE],
    options: [option("--model <name>", "the one that runs it (default: that of the plan)"), CONFIG],
    intent: "packet_stage_start",
    calls: { packet_stage_start: onStage((args) => args.option("model")) },
    run: async (session, [id, stage]: [string, string], options) =>
      (await import("../packet/stage.ts")).start(session, session.meant(id, "task"), stage, options),
  },
  {
    name: "finish",
    description: "end a stage that you ran yourself: its gate is judged",
    tools: ["packet_stage_finish"],
    arguments: [SOME_ID, STAGE],
    options: [
      option("--exit-code <n>", "of the program that ran it", { parse: exitCode, isRequired: true }),
      option("--run <run>", "the attempt, as start named it; needed after an interrupted one"),
      option("--out <file>", "what it printed to stdout"),
      option("--err <file>", "what it printed to stderr"),
      option("--timed-out", "it ran out of time"),
      ALLOW_COMMANDS,
      CONFIG,
    ],
    intent: "packet_stage_finish",
    calls: { packet_stage_finish: onStage((args) => args.option("exit_code", "exit-code")) },
    run: async (session, [id, stage]: [string, string], options) =>
      (await import("../packet/stage.ts")).finish(session, session.meant(id, "task"), stage, options),
  },
  {
    name: "next",
    description: "what the packet needs next, and whether that is allowed",
    arguments: [SOME_ID],
    options: [CONFIG],
    calls: { packet_next: onWhole() },
    run: async (session, [id]: [string], options) =>
      (await import("../packet/stage.ts")).next(session, session.meant(id, "task"), options),
  },
  {
    name: "reopen",
    description: "open a stage that is done, to run it again",
    arguments: [SOME_ID, STAGE],
    options: [REASON, CONFIG],
    intent: "packet_stage_reopen",
    calls: { packet_stage_reopen: onStage((args) => args.option("reason")) },
    run: async (session, [id, stage]: [string, string], options) =>
      (await import("../packet/stage.ts")).reopen(session, session.meant(id, "task"), stage, options),
  },
  {
    name: "reset-budget",
    description: "let paid calls, or retries, count from zero again",
    arguments: [SOME_ID, argument("<kind>", "paid_call_budget or retry_budget")],
    options: [REASON, CONFIG],
    intent: "packet_budget_reset",
    calls: {
      packet_budget_reset: onWhole((args) => {
        const kind = args.take("kind");
        return kind === undefined ? undefined : [kind, ...args.option("reason")];
      }),
    },
    run: async (session, [id, kind]: [string, string], options) =>
      (await import("../packet/stage.ts")).resetBudget(session, session.meant(id, "task"), kind, options),
  },
];

/** Commands that move a whole packet: into the archive and back, from another program and to one. */
const folders = (): CommandDefinition[] => [
  {
    name: "archive",
    description: "move a task and its packet to the archive; its log, summary and markers stay whole",
    arguments: [SOME_ID],
    options: [
      option("--outputs <policy>", "keep, drop, or drop those above so many bytes (default: keep)", {
        parse: outputPolicy,
      }),
      CONFIG,
    ],
    calls: { packet_archive: onWhole((args) => args.option("outputs")) },
    run: async (session, [id]: [string], options) =>
      (await import("../packet/archive.ts")).archive(session, session.meant(id, "task"), options),
  },
  {
    name: "restore",
    description: "bring a packet back from the archive",
    arguments: [{ ...SOME_ID, completes: "archived ids" }],
    options: [CONFIG],
    calls: { packet_restore: onWhole() },
    run: async (session, [id]: [string], options) =>
      (await import("../packet/archive.ts")).restore(session, session.meant(id, "task"), options),
  },
  {
    name: "import",
    description: "take in a packet's folder that another program made, or changes by hand in the folder of a task",
    arguments: [argument("<dir>", "such as .tmp/task/20260218-001")],
    options: [CONFIG],
    run: async (session, [dir]: [string], options) =>
      (await import("../packet/import.ts")).importFolder(session, dir, options),
  },
  {
    name: "export",
    description: "write a packet as a folder that another program can go on with",
    arguments: [SOME_ID, argument("<dir>", "not there yet, or empty")],
    options: [CONFIG],
    run: async (session, [id, dir]: [string, string], options) =>
      (await import("../packet/export.ts")).exportFolder(session, session.meant(id, "task"), dir, options),
  },
  {
    name: "review",
    description: "review an implementation: make the packet, run it, and leave its six artifacts and the summary",
    arguments: [
      argument("<context-pack>", "what was to be done"),
      argument("<impl-report>", "what was done"),
      argument("[out-dir]", "where the artifacts go (default: .tmp/review/<id>)"),
    ],
    options: [ALLOW_COMMANDS, PROGRESS, CONFIG],
    run: async (session, [pack, report, dir]: [string, string, string?], options) =>
      (await import("../packet/review.ts")).review(session, pack, report, dir, options),
  },
  {
    name: "export-review",
    description: "write the six artifacts of a review and the summary",
    arguments: [SOME_ID, argument("<dir>")],
    options: [CONFIG],
    run: async (session, [id, dir]: [string, string], options) =>
      (await import("../packet/export.ts")).exportReview(session, session.meant(id, "task"), dir, options),
  },
];

/** Commands about the programs of a repository, and about the helper that other tools call. */
const scripts = (): CommandDefinition[] => [
  {
    name: "trust",
    description: "let packet run start the programs that configs/ of this workspace names, until a file there changes",
    options: [option("--revoke", "take all trust in this workspace away")],
    run: async (session, _, options) => (await import("../packet/trust.ts")).trust(session, options),
  },
  {
    name: "init-scripts",
    description: "write scripts/agent-cli/post_impl_review.sh, which calls packet review",
    run: async (session) => (await import("../packet/init_scripts.ts")).initScripts(session),
  },
];

export const command = (): CommandDefinition => ({
  name: "packet",
  description: "Task Packets: stages run by models, with gates and budgets",
  commands: [...stages(), ...folders(), ...scripts()],
});

/** `keep`, `drop`, or a number of bytes. */
function outputPolicy(text: string): "keep" | "drop" | number {
  if (text === "keep" || text === "drop") return text;
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw expected("keep, drop or a number of bytes");
}

function seconds(text: string): number {
  if (/^[0-9]{1,6}(?:\.[0-9]{1,3})?$/.test(text)) return Number(text);
  throw expected("a number of seconds, such as 10");
}

function exitCode(text: string): number {
  if (/^-?[0-9]{1,9}$/.test(text)) return Number(text);
  throw expected("a whole number, such as 0");
}
