/** `taskfold help TOPIC`: what to know beside the commands, each with an example that runs. */
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT, TaskfoldError } from "../../errors.ts";
import { nearest } from "../../engine/core/input/near.ts";
import type { CliResult } from "./cli_result.ts";
import { paragraph } from "./text/layout.ts";
import type { Session } from "./session.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";
import { OF_MACHINE } from "../onboard/start_command.ts";
import { startedHere } from "./text/started_here.ts";

interface Topic {
  about: string;
  text: string;
  example: string;
}

export const TOPICS: Record<string, Topic> = {
  start: {
    about: "the first five minutes",
    text: "A workspace is a folder with .coco in it. Plans hold tasks, and tasks hold steps. Each is a folder with one log; git carries it. ready says what can be taken up, claim takes it, run proves it, and done closes it. status says what waits for you, and undo takes the last change back.",
    example:
      'taskfold init\ntaskfold plan add "Version 2"\ntaskfold add "A parser" --plan PLAN-001 --step "Write the grammar" --test "npm test"\ntaskfold claim 1 s:0\ntaskfold run 1 s:0 --for tests --close -- npm test\ntaskfold done 1\ntaskfold status',
  },
  ids: {
    about: "how plans, tasks and steps are named",
    text: "TASK-1, task-001 and 1 name TASK-001 where only one fits; a number alone names a task. A step is named by its path (s:0), its id, or a part of its title that only one has.",
    example: "taskfold show 1\ntaskfold done 1 grammar --confirm gate",
  },
  steps: {
    about: "when a step closes",
    text: "A step closes when its criteria and tests are confirmed. --confirm gate confirms both and closes it in one change. A blocked step, or one that waits for others, does not close.",
    example: "taskfold done TASK-001 s:0 --confirm criteria,tests",
  },
  proof: {
    about: "evidence: what was run, with its exit code",
    text: "run keeps the output, the exit code and the digest of a command as evidence. --for says what it proves; --close confirms criteria and tests and closes the step if the command passed. A step stays open while the newest run of a command failed: run it again, or supersede that run with a reason. --proof of add and edit says what a step needs proof of; init has it for each new step. The mode off asks for nothing, warn only warns, and require keeps the step open without proof. captured takes a run that Taskfold made, and repeated takes one of prove by another actor. attested takes one that attest signed, by a key that your git trusts: verify --signers says who vouches for what. status names done work whose proof is weak, failed or missing.",
    example:
      "taskfold init --proof tests=require\ntaskfold edit TASK-001 s:0 --proof tests,docs=warn\ntaskfold run TASK-001 s:0 --for tests --close -- npm test",
  },
  claims: {
    about: "who works on what",
    text: "A claim keeps others from changing a step or task until it expires. Without an id, claim takes the next ready step. You act as --by, TASKFOLD_BY, or git's user.name.",
    example: "taskfold claim\ntaskfold claim TASK-001 s:1 --for 2h\ntaskfold release",
  },
  agents: {
    about: "how agents work in this workspace",
    text: "onboard writes the MCP entry of an agent's client, its start hook, and a section in AGENTS.md. It shows the difference first, and --remove takes it out. prime prints what an agent has to know at its start.",
    example: "taskfold onboard --client claude-code --dry-run\ntaskfold prime",
  },
  trackers: {
    about: "tasks of other programs, and tasks as files",
    text: "import takes in Backlog.md, beads, Taskwarrior, Task Master, Markdown checklists and GitHub issues. A repeated import makes only what is new. export writes Markdown, JSON or CSV.",
    example:
      "printf -- '- [ ] Write the tests\\n' > TODO.md\ntaskfold import markdown TODO.md --dry-run\ntaskfold export csv",
  },
  merge: {
    about: "branches and what is left after a merge",
    text: "Logs merge by git's union driver. After a merge, resolve writes the folded files anew and says which values two branches disagree about. doctor explains what verify finds. git install puts a merge driver into this clone: then git stops at no folded file, and with --hooks its hooks keep them right.",
    example: "taskfold git install --hooks\ngit merge feature\ntaskfold resolve --stage\ntaskfold doctor",
  },
  scripts: {
    about: "for programs",
    text: "--json prints one reply document, errors included; -q prints ids alone. call takes any tool with its input as JSON. Exit codes: 0 ok, 1 refused, 2 usage, 3 unknown id, 4 conflict, 5 outcome unknown, 6 storage.",
    example:
      'taskfold list --status ACTIVE --json\ntaskfold call tasks_note \'{"task":"TASK-001","note":"from a script"}\'',
  },
};

/** A topic; a command's help is that of `--help` (program.ts). */
export function topic({ columns: wide, program }: Session, name: string, commands: readonly string[]): CliResult {
  const found = Object.hasOwn(TOPICS, name) ? TOPICS[name] : undefined;
  if (!found) {
    const near = nearest(name, [...commands, ...Object.keys(TOPICS)]);
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected a command or a topic, found ${JSON.stringify(name.slice(0, 80))}.${near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : ""}`,
      remedy`The topics are ${Object.keys(TOPICS).join(", ")}; ${TASKFOLD} --help lists the commands.`,
    );
  }
  const lines = found.example.split("\n");
  const page = (body: string, words: string): string =>
    `${name}: ${found.about}\n\n${body}\n\nExample:\n${lines.map((line) => `  ${startedHere(line, words)}\n`).join("")}`;
  return {
    exit: EXIT.ok,
    json: okReply("help", { text: page(found.text, OF_MACHINE) }, [], []),
    human: () => ({ out: page(paragraph(found.text, wide), program), err: "" }),
  };
}
