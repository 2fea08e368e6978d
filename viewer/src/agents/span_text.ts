/** Sentences about a claim or stage on a lane. */
import type { AgentSpan } from "../../../src/views/viewer/api.ts";
import { nameOf } from "../text/actor_name.ts";
import type { Words } from "../text/en.ts";
import { shortTime } from "../text/format.ts";

/** A claim that lasts ends at the latest when it runs out. */
export function untilOf({ to, expires_at }: AgentSpan, { agents, locale }: Words): string {
  if (to !== null) return shortTime(to, locale);
  return expires_at === null ? agents.now : agents.atLatest(shortTime(expires_at, locale));
}

export function endOf({ end, other }: AgentSpan, { agents }: Words): string {
  const endsBy: Partial<Record<AgentSpan["end"], (who: string) => string>> = agents.endsBy;
  return (other && endsBy[end]?.(nameOf(other))) || agents.ends[end];
}

/** A span in one sentence: what it is, from when until when, and how it ended. */
export function spanText(span: AgentSpan, words: Words): string {
  const from = shortTime(span.from, words.locale);
  const what = `${words.agents[span.kind]} ${span.entity} ${span.title}, ${from} – ${untilOf(span, words)}`;
  return words.labelled(what, endOf(span, words));
}
