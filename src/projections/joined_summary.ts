import type { Subject } from "../state/entity.ts";
import type { AgentReport, Conclusion, Report } from "../state/report.ts";
import { frontMatter } from "./front_matter.ts";
import { heading, inline, quote } from "./markdown.ts";

export const REPORTS = "shared/reports";
export const JOINED_SUMMARY = `${REPORTS}/joined-summary.md`;

/** The last report, in the form of Coco's own, with its conclusions and citations (REPORT-3). */
export function joinedSummary({ id }: Subject, { title, summary, agents, ts }: Report): string {
  const head = frontMatter({
    title: `Joined Summary: ${title}`,
    purpose: "What came of it, agent by agent",
    tags: ["joined-summary", "subagents"],
    task_id: id,
    generated_at: ts,
  });
  const quoted = quote(summary);
  return (
    `${head}\n# Joined Summary: ${heading(title)}\n\n- task: \`${id}\`\n- generatedAt: \`${ts}\`\n` +
    (quoted === "" ? "" : `\n${quoted}`) +
    `\n## Workers\n${agents.map(worker).join("")}`
  ).toWellFormed();
}

function worker({ instance, agent, status, summary, ...rest }: AgentReport): string {
  const cited = [...new Set(rest.conclusions.flatMap((one) => one.evidence))];
  return (
    `\n### ${heading(instance)} (${inline(agent)})\n\n- status: \`${status}\`\n` +
    (cited.length === 0 ? "" : `- evidence: ${cited.map((id) => `evidence:${inline(id)}`).join(", ")}\n`) +
    (summary.trim() === "" ? "" : `- summary: ${inline(summary)}\n`) +
    lines("conclusions", rest.conclusions.map(concluded)) +
    lines("questions", rest.questions.map(inline)) +
    lines("nextActions", rest.next_actions.map(inline))
  );
}

function concluded({ text, evidence }: Conclusion): string {
  return (
    inline(text) + (evidence.length === 0 ? "" : ` (${evidence.map((id) => `evidence:${inline(id)}`).join(", ")})`)
  );
}

function lines(name: string, texts: readonly string[]): string {
  return texts.length === 0 ? "" : `- ${name}:\n${texts.map((text) => `  - ${text}\n`).join("")}`;
}
