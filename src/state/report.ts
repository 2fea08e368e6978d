/** The outcome of a task, agent by agent, as it was said when the report was made. */
export const AGENT_STATUSES = ["success", "working", "blocked", "failed"] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

export interface Conclusion {
  text: string;
  /** Ids of evidence entries that it rests on. */
  evidence: string[];
}

export interface AgentReport {
  instance: string;
  /** The kind of agent, as Coco's roster or the actor's name says it. */
  agent: string;
  status: AgentStatus;
  summary: string;
  conclusions: Conclusion[];
  questions: string[];
  next_actions: string[];
}

export interface Report {
  title: string;
  summary: string;
  agents: AgentReport[];
  ts: string;
  by: string;
}
