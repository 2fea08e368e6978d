import type { ComponentChildren, JSX } from "preact";
import type { BoardRow, Status, StepItem } from "../../../src/views/viewer/api.ts";
import { isBlocked, isPartlyBlocked } from "../../../src/views/viewer/blocked.ts";
import { useNow } from "../clock.ts";
import { useWords } from "../text/words.ts";
import type { Words } from "../text/en.ts";
import { clockTime, shortDay, shortTime } from "../text/format.ts";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon.tsx";
import { nameOf } from "./person.tsx";

export type Tone = "plain" | "green" | "red" | "amber" | "blue" | "violet" | "orange";

interface BadgeProps {
  tone: Tone;
  icon: IconName;
  title?: string;
  /** Stands behind the text, and is never cut. */
  tail?: string;
  children: ComponentChildren;
}

/** A short fact: an icon and a word, on a colour that only repeats what they say. */
export function Badge({ tone, icon, title, tail, children }: BadgeProps): JSX.Element {
  return (
    <span class={`badge ${tone}`} title={title}>
      <Icon name={icon} />
      <span class="badge-text">{children}</span>
      {tail && <span class="badge-tail">{tail}</span>}
    </span>
  );
}

export const STATUS_LOOKS: Record<Status, { tone: Tone; icon: IconName }> = {
  TODO: { tone: "plain", icon: "circle" },
  ACTIVE: { tone: "blue", icon: "clock" },
  DONE: { tone: "green", icon: "done" },
  FAILED: { tone: "red", icon: "failed" },
  CANCELED: { tone: "plain", icon: "minus" },
};

export function StatusBadge({ status }: { status: Status }): JSX.Element {
  const words = useWords();
  return <Badge {...STATUS_LOOKS[status]}>{words.status[status]}</Badge>;
}

export const STEP_LOOKS: Record<StepItem["state"], { tone: Tone; icon: IconName }> = {
  done: { tone: "green", icon: "done" },
  blocked: { tone: "red", icon: "blocked" },
  claimed: { tone: "violet", icon: "claim" },
  waiting: { tone: "plain", icon: "wait" },
  ready: { tone: "blue", icon: "ready" },
};

/** Facts that stand out on a row of the board, the gravest first. */
export interface Signal extends BadgeProps {
  key: string;
  children: string;
}

/** Widths in rem, as the style sheet has them: a letter, a Chinese one, and what stands around them. */
const WIDE = { letter: 0.435, han: 0.76, badge: 1.8, gap: 0.25, more: 2.2 };

function textOf({ children, tail }: Signal): string {
  return tail ? `${children} ${tail}` : children;
}

function widthOf(signal: Signal): number {
  const text = textOf(signal);
  const han = text.replace(/[^\u2e80-\uffff]/g, "").length;
  return WIDE.badge + (text.length - han) * WIDE.letter + han * WIDE.han + WIDE.gap;
}

/** Those that have room whole, in so many rem, the first in any case. The others are counted beside them. */
export function signalsThatFit(all: readonly Signal[], room: number): number {
  let left = room;
  for (const [index, signal] of all.entries()) {
    left -= widthOf(signal);
    const needed = index < all.length - 1 ? WIDE.more : 0;
    if (left < needed && index > 0) return index;
  }
  return all.length;
}

export function isOpen(status: Status): boolean {
  return status === "TODO" || status === "ACTIVE";
}

/** Until when, without the day where that is today. `brief`: with the day alone where it is not. */
export function untilText(ts: string, now: number, words: Words, brief = false): string {
  const near = Math.abs(Date.parse(ts) - now) < 43_200_000;
  if (near) return clockTime(ts, words.locale).replace(/:\d\d(?!.*:\d\d)/, "");
  return brief ? shortDay(ts, words.locale) : shortTime(ts, words.locale);
}

export function signalsOf(row: BoardRow, now: number, words: Words): Signal[] {
  const { signal } = words;
  const found: Signal[] = [];
  const add = (key: string, tone: Tone, icon: IconName, children: string, title?: string, tail?: string): void => {
    found.push({ key, tone, icon, children, ...(title ? { title } : {}), ...(tail ? { tail } : {}) });
  };
  if (row.conflicts > 0) add("conflicts", "orange", "conflict", `${signal.conflicts} ${row.conflicts}`);
  if (row.failed_proof > 0) add("failed", "red", "failed", signal.failed);
  if (isBlocked(row)) add("blocked", "red", "blocked", signal.blocked, row.blocked.join("\n"));
  if (row.drift) add("drift", "amber", "drift", signal.drift);
  if ((row.faults ?? 0) > 0) add("faults", "amber", "drift", `${signal.faults} ${row.faults}`);
  for (const claim of row.claims) {
    const until = untilText(claim.expires_at, now, words, true);
    const exact = words.board.until(shortTime(claim.expires_at, words.locale));
    const what = claim.holds ? words.board.until(until) : signal.expired;
    const tone = claim.holds ? "violet" : "plain";
    add(
      `claim ${claim.by} ${claim.step?.id}`,
      tone,
      "claim",
      nameOf(claim.by),
      `${exact} ${claim.step?.title ?? ""}`.trim(),
      what,
    );
  }
  if (row.waits_for.length > 0 && isOpen(row.status)) {
    const [first = "", ...others] = row.waits_for;
    const more = others.length > 0 ? `+${others.length}` : "";
    add("waits", "plain", "wait", `${signal.waits}: ${first}`, row.waits_for.join(", "), more);
  }
  if (row.ready) add("ready", "blue", "ready", signal.ready, `${row.ready.path} ${row.ready.title}`);
  if (isPartlyBlocked(row)) add("partly", "amber", "blocked", signal.partly, row.blocked.join("\n"));
  if (row.packet)
    add("packet", "plain", "packet", words.packet.states[row.packet.state], row.packet.stage ?? undefined);
  if (row.source === "coco") add("foreign", "plain", "file", signal.foreign);
  if (row.archived) add("archived", "plain", "archive", signal.archived);
  return found;
}

/** `room`: rem of the line that they stand in; without it they take as many lines as they need. */
export function Signals({ row, room }: { row: BoardRow; room?: number }): JSX.Element {
  const words = useWords();
  const now = useNow();
  const all = signalsOf(row, now, words);
  const shown = room === undefined ? all : all.slice(0, signalsThatFit(all, room));
  return (
    <>
      {shown.map((signal) => {
        const { key, title, ...badge } = signal;
        const text = textOf(signal);
        // A narrow card cuts it: what it says stands in the title too.
        return <Badge key={key} {...badge} title={title ? `${text}\n${title}` : text} />;
      })}
      {shown.length < all.length && (
        <span class="badge plain" title={all.slice(shown.length).map(textOf).join("\n")}>
          <span class="badge-text" aria-hidden="true">
            +{all.length - shown.length}
          </span>
          <span class="visually-hidden">{all.slice(shown.length).map(textOf).join(", ")}</span>
        </span>
      )}
    </>
  );
}
