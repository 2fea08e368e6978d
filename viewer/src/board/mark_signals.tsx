/** Counts of the tasks of a plan that stand out: each is the number that the filter of the board shows. */
import type { JSX } from "preact";
import { Badge } from "../parts/badge.tsx";
import type { Signal, Tone } from "../parts/badge.tsx";
import type { IconName } from "../parts/icon.tsx";
import { PageLink } from "../parts/page_link.tsx";
import type { Words } from "../text/en.ts";
import { useWords } from "../text/words.ts";
import { MARKS } from "./select.ts";
import type { Mark, MarkCounts } from "./select.ts";

export const MARK_LOOKS: Record<Mark, { tone: Tone; icon: IconName }> = {
  failed: { tone: "red", icon: "failed" },
  conflicts: { tone: "orange", icon: "conflict" },
  blocked: { tone: "red", icon: "blocked" },
  drift: { tone: "amber", icon: "drift" },
  claimed: { tone: "violet", icon: "claim" },
  complete: { tone: "green", icon: "check" },
  waiting: { tone: "plain", icon: "wait" },
  ready: { tone: "blue", icon: "ready" },
};

export function signalsOf(counts: MarkCounts, { signal, count }: Words): Signal[] {
  return MARKS.filter((mark) => counts[mark] > 0).map((mark) => ({
    key: mark,
    ...MARK_LOOKS[mark],
    children: `${signal[mark]} ${counts[mark]}`,
    title: count.tasks(counts[mark]),
  }));
}

/** In the head of a plan's page: each count leads to its tasks. */
export function MarkSignals({ plan, counts }: { plan: string; counts: MarkCounts }): JSX.Element | null {
  const words = useWords();
  const list = signalsOf(counts, words);
  if (list.length === 0) return null;
  return (
    <ul class="bare inline standing" aria-label={words.plan.signals}>
      {list.map(({ key, tone, icon, children }) => (
        <li key={key}>
          <PageLink page="board" query={{ plan, is: key }} title={words.plan.showOnBoard}>
            <Badge tone={tone} icon={icon}>
              {children}
            </Badge>
          </PageLink>
        </li>
      ))}
    </ul>
  );
}
