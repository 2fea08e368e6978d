/**
 * Reads a task.yaml that another program wrote, for folders that have no log of ours (DIR-12, PROJ-11). Stricter than
 * YAML, as forgiving as Coco's own reader. The caller brings the `yaml` module: loading it costs half a start of
 * node, and only folders of this kind need it.
 */
import type * as Yaml from "yaml";
import { TaskfoldError } from "../errors.ts";
import { TASK_FILE } from "./layout.ts";
import { parseYaml, valuesOf } from "./parse_yaml.ts";
import type { ParsedYaml } from "./parse_yaml.ts";
import { YamlFields } from "./yaml_fields.ts";

const STATES = ["created", "working", "input-required", "completed", "failed", "canceled"] as const;
const TOPOLOGIES = ["swarm", "squad"] as const;
const MILESTONE_STATES = ["pending", "working", "done", "blocked"] as const;
const AGENT_STATES = ["pending", "active", "awaiting", "dormant", "completed", "failed"] as const;
const GATE_STATES = ["open", "blocked", "approved", "rejected"] as const;
const GATE_TYPES = ["human-approval", "auto-check", "milestone-gate"] as const;

/** Coco's TaskFile with its historic words put right and its defaults filled in. */
export interface CocoTask {
  id: string;
  title: string;
  description: string;
  topology: (typeof TOPOLOGIES)[number];
  state: (typeof STATES)[number];
  /** RFC 3339, as written; null when absent. */
  createdAt: string | null;
  updatedAt: string | null;
  milestones: { id: string; title: string; state: (typeof MILESTONE_STATES)[number]; dependsOn: string[] }[];
  roster: {
    instance: string;
    agent: string;
    state: (typeof AGENT_STATES)[number];
    assignedMilestone: string | null;
    skills: string[];
  }[];
  gates: {
    id: string;
    type: (typeof GATE_TYPES)[number];
    state: (typeof GATE_STATES)[number];
    reason: string | null;
    instructionsRef: string | null;
    blockedAt: string | null;
    resolvedAt: string | null;
    resolvedBy: string | null;
  }[];
  config: { maxConcurrentAgents: number; timeoutSeconds: number; autoApprove: boolean };
}

/** A member of the file that Coco knows nothing of, such as `milestones[0].owner`. */
export interface Extra {
  path: string;
  json: string;
}

/** The task that `text` describes; LOG_UNREADABLE names the field that is missing or wrong. */
export function readCocoTaskFile(text: string, yaml: typeof Yaml): CocoTask {
  return read(text, yaml).task;
}

/** The same with every member that is none of Coco's, as JSON text: numbers there may have no exact form in a log. */
export function readWholeCocoTaskFile(text: string, yaml: typeof Yaml): { task: CocoTask; extra: Extra[] } {
  const { task, root, parsed } = read(text, yaml);
  const values = valuesOf(parsed, TASK_FILE);
  return { task, extra: root.others(values).map(({ path, value }) => ({ path, json: JSON.stringify(value) })) };
}

function read(text: string, yaml: typeof Yaml): { task: CocoTask; root: YamlFields; parsed: ParsedYaml } {
  const parsed = parseYaml(text, TASK_FILE, yaml);
  const root = YamlFields.of(parsed, yaml);
  const task: CocoTask = {
    id: safeId(root.text("id")),
    title: root.text("title"),
    description: root.textOr("description", null) ?? "",
    topology: root.word("topology", TOPOLOGIES),
    state: root.word("state", STATES, { "gate.blocked": "input-required", cancelled: "canceled" }),
    createdAt: root.time("createdAt"),
    updatedAt: root.time("updatedAt"),
    milestones: root.maps("milestones").map((m) => ({
      id: m.text("id"),
      title: m.text("title"),
      state: m.word("state", MILESTONE_STATES, { in_progress: "working" }, "pending"),
      dependsOn: m.texts("dependsOn"),
    })),
    roster: root.maps("roster").map((r) => ({
      instance: r.text("instance"),
      agent: r.text("agent"),
      state: r.word("state", AGENT_STATES, { created: "pending" }, "pending"),
      assignedMilestone: r.textOr("assignedMilestone", null),
      skills: r.texts("skills"),
    })),
    gates: root.maps("gates").map((g) => ({
      id: g.text("id"),
      type: g.word("type", GATE_TYPES),
      state: g.word("state", GATE_STATES),
      reason: g.textOr("reason", null),
      instructionsRef: g.textOr("instructionsRef", null),
      blockedAt: g.time("blockedAt", true),
      resolvedAt: g.time("resolvedAt", true),
      resolvedBy: g.textOr("resolvedBy", null),
    })),
    config: configOf(root.map("config")),
  };
  return { task, root, parsed };
}

function safeId(id: string): string {
  if (/^[A-Za-z0-9_-]+$/.test(id)) return id;
  throw unreadable("an id of letters, digits, '_' and '-'", JSON.stringify(id.slice(0, 80)));
}

function configOf(fields: YamlFields | null): CocoTask["config"] {
  return {
    maxConcurrentAgents: fields?.count("maxConcurrentAgents") ?? 3,
    timeoutSeconds: fields?.count("timeoutSeconds") ?? 3600,
    autoApprove: fields?.flag("autoApprove") ?? false,
  };
}

function unreadable(expected: string, found: string): TaskfoldError {
  return new TaskfoldError("LOG_UNREADABLE", `Expected task.yaml to hold ${expected}, found ${found}.`, {
    recovery: "Correct task.yaml by hand, or remove the folder from .coco/tasks.",
  });
}
