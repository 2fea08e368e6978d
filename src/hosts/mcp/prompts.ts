/**
 * A client puts prompts into the context of an agent. The prompt `taskdoc` is what every agent of a dialog tree is to have before it. Its
 * first message says what Taskdocs are closed to, the second is the effective Taskdoc, byte for byte as the library renders it. The others
 * are the guides.
 */
import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import type { Workspace } from "../../engine/workspace.ts";
import type { Workspaces } from "../../engine/workspaces.ts";
import { TaskfoldError } from "../../errors.ts";
import { taskdocPolicyCopy } from "../../index.ts";
import type { Language } from "../../index.ts";
import { GUIDES, isGuide } from "../onboard/guides.ts";
import { guideOf } from "./guides.ts";
import { besideOf, META, placesOf } from "./resources.ts";

export const PROMPTS: Prompt[] = [
  ...Object.entries(GUIDES).map(([name, { title, about }]) => ({ name, title, description: about })),
  {
    name: "taskdoc",
    title: "The Taskdoc of a task",
    description: "The effective Taskdoc of a plan or task, after what agents have to know of Taskdocs.",
    arguments: [
      { name: "target", description: "Id of a plan or task; the focus when left out." },
      { name: "language", description: "en (the default) or zh." },
      { name: "workspace", description: "Whose target it is; the default workspace when left out." },
    ],
  },
];

/** INVALID_INPUT for another prompt, argument or language; UNKNOWN_ID and TARGET_REQUIRED as from any tool. */
export async function getPrompt(
  workspaces: Workspaces,
  name: string,
  given: Readonly<Record<string, string>>,
  by: string,
): Promise<GetPromptResult> {
  const prompt = PROMPTS.find((one) => one.name === name);
  if (!prompt) throw unexpected("the name of a prompt", PROMPTS.map((one) => one.name).join(", "), name);
  const known = (prompt.arguments ?? []).map((argument) => argument.name);
  const other = Object.keys(given).find((key) => !known.includes(key));
  if (other !== undefined) throw unexpected("an argument", known.join(" or ") || "left out", other);
  if (isGuide(name))
    return { description: GUIDES[name].about, messages: [message(guideOf(name, placesOf(workspaces)[0]?.workspace))] };
  const { language = "en", target, workspace: named } = given;
  if (language !== "en" && language !== "zh") throw unexpected("language", "en or zh", language);
  const workspace = workspaces.of(named);
  const effective = workspace.taskdoc.render(
    target === undefined || named !== undefined ? await targetOf(workspace, { workspace: named, target }, by) : target,
    { language },
  );
  return {
    description: `${effective.id}, revision ${effective.revision}`,
    messages: [message(taskdocPolicyCopy(language as Language)), message(effective.text)],
    _meta: { [META]: besideOf(effective) },
  };
}

function message(text: string): GetPromptResult["messages"][number] {
  return { role: "user", content: { type: "text", text } };
}

/** The id that a tool would work on; the focus where no target is named. */
async function targetOf(
  workspace: Workspace,
  given: { workspace: string | undefined; target: string | undefined },
  by: string,
): Promise<string> {
  const target = given.target === undefined ? {} : { target: given.target };
  const input = { workspace: given.workspace ?? workspace.id ?? "", ...target };
  const reply = await workspace.call("tasks_radar", input, { by });
  if (reply.error) throw new TaskfoldError(reply.error.code, reply.error.message);
  return (reply.result!["target"] as { id: string }).id;
}

function unexpected(what: string, wanted: string, found: string): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected ${what} to be ${wanted}, found ${JSON.stringify(found.slice(0, 200))}.`,
  );
}
