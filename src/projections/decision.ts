import type { Entity, Subject } from "../state/entity.ts";
import type { Card } from "../state/reasoning.ts";
import { frontMatter } from "./front_matter.ts";
import { heading, inline, quote } from "./markdown.ts";

/** Where the file of a decision stands, from the entity's folder. */
export const DECISIONS = "shared/decisions";

export function decisionPath(card: Pick<Card, "id">): string {
  return `${DECISIONS}/${card.id}.md`;
}

/** A decision card for people, with what it rests on. One that was taken back stays, and says so (REASON-1). */
export function decision({ id, entity }: Subject, card: Card): string {
  const { title, text, status, tags, ts, by } = card;
  const head = frontMatter({
    title,
    purpose: "decision",
    tags: ["decision", ...tags],
    task_id: id,
    agent_instance: card.agent ?? by,
    artifact_id: card.id,
    created_at: ts,
  });
  const facts =
    `- card: \`${card.id}\`\n- status: ${inline(status)}\n- by: ${inline(by)}\n- at: ${ts}\n` +
    (card.gone ? "- **taken back**: this decision was undone and does not hold\n" : "");
  const body = quote(text);
  const rests = reasons(entity, card);
  return (
    `${head}\n# ${heading(title)}\n\n${facts}` +
    (body === "" ? "" : `\n## Decision\n\n${body}`) +
    (rests === "" ? "" : `\n## Rests on\n\n${rests}`)
  ).toWellFormed();
}

/** The cards it supports and those that they support in turn, each once, nearest first. */
function reasons({ cards }: Entity, card: Card): string {
  const seen = new Set([card.id]);
  const found: Card[] = [];
  for (let wave = card.supports; wave.length > 0;) {
    const next = [...new Set(wave)].filter((id) => !seen.has(id)).map((id) => cards.get(id));
    const there = next.filter((one) => one !== undefined && !one.gone) as Card[];
    for (const one of there) seen.add(one.id);
    found.push(...there);
    wave = there.flatMap((one) => [...one.supports]);
  }
  return found
    .slice(0, MAX_REASONS)
    .map((one) => `- ${one.stage} \`${one.id}\` (${inline(one.status)}): ${inline(one.title)}\n`)
    .join("");
}

const MAX_REASONS = 20;
