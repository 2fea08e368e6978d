/** An agent reads a guide before a phase of its work. Each is one text, as a resource and as a prompt (MCP-8). */
import type { Setting } from "./clients.ts";
import { callLine, callsOf, rulesOf, sessionCalls, startCall } from "./house_rules.ts";
import type { SessionCall } from "./house_rules.ts";

export interface Guide {
  title: string;
  about: string;
  /** Texts before the calls and after them. */
  before: (setting: Setting) => string[];
  calls: (workspace: string) => SessionCall[];
  after: (setting: Setting) => string[];
}

const TASK = { task: "<task>" };
const STEP = { ...TASK, path: "<step>" };

export const GUIDES = {
  plan: {
    title: "Plan work",
    about: "how to make plans, tasks and steps that others can take up",
    before: () => [
      "Look at what is open first: the work may have a task already.",
      "A task is a piece of work that one review takes in. A plan holds the tasks of one goal.",
      "Each step says what can be seen when it is done, and the commands that test it. If a claim is not enough, it asks for proof.",
    ],
    calls: (workspace) => {
      const call = callsOf(workspace);
      const steps = [
        { title: "<step>", success_criteria: ["<criterion>"], tests: ["<command>"], proof: { tests: "require" } },
      ];
      return [
        call("See what is open", "tasks_context", {}),
        call("Make a plan for a goal of several tasks", "tasks_create", { kind: "plan", title: "<goal>" }),
        call("Make a task of it", "tasks_create", { parent: "<plan>", title: "<title>", steps }),
        call("Let a task wait for another one", "tasks_edit", { ...TASK, depends_on: ["<task that comes first>"] }),
        call("Add steps to a task", "tasks_decompose", { ...TASK, steps }),
        { ...startCall(workspace), when: "Make a task and begin with it, in one call" },
      ];
    },
    after: () => ["Make no step of what is done by the way, and no task of what one step holds."],
  },
  work: {
    title: "Work on a step",
    about: "the calls from the claim of a step to its end",
    before: () => ["Take one step after the other. Fill in `<...>` from the answers before."],
    calls: sessionCalls,
    after: ({ command }) => rulesOf(command),
  },
  "hand-over": {
    title: "Hand work over",
    about: "how to stop so that another agent or a person goes on",
    before: () => ["Before you stop, write down what the log cannot know: what you tried, what you saw, what is next."],
    calls: (workspace) => {
      const call = callsOf(workspace);
      return [
        call("Note where you stand", "tasks_note", { ...STEP, note: "<what is done, what you saw, what is next>" }),
        call("Give back a step that you do not finish", "tasks_release", STEP),
        call("Read what the next one will read", "tasks_handoff", TASK),
      ];
    },
    after: ({ command }) => [
      "Commit `.coco/` with the work: a note that is not committed stays on this machine.",
      `A stop hook names what is missing; so does \`${command} status\`.`,
    ],
  },
  review: {
    title: "Review work",
    about: "how to check what is said to be done",
    before: () => ["Take no word for proof: read the evidence of each step, and run its tests yourself."],
    calls: (workspace) => {
      const call = callsOf(workspace);
      return [
        call("Read the task with its evidence", "tasks_snapshot", TASK),
        call("See what changed, and by whom", "tasks_delta", { ...TASK, limit: 50 }),
        call("Open a step again that is not done", "tasks_progress", {
          ...STEP,
          completed: false,
          reason: "<what you found>",
        }),
        call("Note what you found", "tasks_note", { ...STEP, note: "<what you found>" }),
      ];
    },
    after: ({ command }) => [
      `\`${command} verify\` checks the logs, and \`${command} prove <task>\` repeats the runs in a clean work tree of a commit.`,
      "Review the work of others: an agent that confirms its own work proves nothing.",
    ],
  },
} as const satisfies Record<string, Guide>;

export type GuideName = keyof typeof GUIDES;

export function isGuide(name: string): name is GuideName {
  return Object.hasOwn(GUIDES, name);
}

/** Markdown, ends with a line feed. */
export function guideText(name: GuideName, setting: Setting): string {
  const { title, before, calls, after }: Guide = GUIDES[name];
  return [
    `# ${title}`,
    "",
    ...before(setting),
    "",
    ...calls(setting.workspace).map((call, i) => `${i + 1}. ${callLine(call)}`),
    "",
    ...after(setting).map((rule) => `- ${rule}`),
    "",
  ].join("\n");
}
