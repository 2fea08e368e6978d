import type { ComponentChildren, JSX } from "preact";
import type { BoardRow, PacketState, StageState, Status, StepItem } from "../../../src/views/viewer/api.ts";
import { isBlocked, isPartlyBlocked, isReady } from "../../../src/views/viewer/blocked.ts";
import { useNow } from "../clock.ts";
import { kind } from "../data/source.ts";
import { useWords } from "../text/words.ts";
import type { Words } from "../text/en.ts";
import { clockTime, shortDay, shortTime } from "../text/format.ts";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon.tsx";
import { nameOf } from "../text/actor_name.ts";
import { textOf, titleOf } from "./place_signals.ts";
import { hasEnded } from "../../../src/state/ended.ts";

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
  open: { tone: "plain", icon: "circle" },
};

export const PACKET_LOOKS: Record<PacketState | StageState, { tone: Tone; icon: IconName }> = {
  pending: { tone: "plain", icon: "circle" },
  running: { tone: "blue", icon: "play" },
  done: { tone: "green", icon: "done" },
  failed: { tone: "red", icon: "failed" },
  interrupted: { tone: "amber", icon: "pause" },
  stopped: { tone: "red", icon: "blocked" },
  archived: { tone: "plain", icon: "archive" },
};

/** Facts that stand out on a row of the board, the gravest first. */
export interface Signal extends BadgeProps {
  key: string;
  children: string;
  /** The same in fewer letters, where a card is narrow. */
  brief?: string;
}

export function isOpen(status: Status): boolean {
  return !hasEnded({ status });
}

/** Until when, without the day where that is today. `brief`: with the day alone where it is not. */
export function untilText(ts: string, now: number, words: Words, brief = false): string {
  const near = Math.abs(Date.parse(ts) - now) < 43_200_000;
  if (near) return clockTime(ts, words.locale).replace(/:\d\d(?!.*:\d\d)/, "");
  return brief ? shortDay(ts, words.locale) : shortTime(ts, words.locale);
}

/** Until when a claim holds. One that ended after an export was made held as of that. */
export function heldUntil({ expires_at }: { expires_at: string }, now: number, words: Words, brief = false): string {
  const until = untilText(expires_at, now, words, brief);
  return kind !== "live" && Date.parse(expires_at) < now ? words.board.untilThen(until) : words.board.until(until);
}

/** The first of those that come before it by its id, the others by their number. */
export function waitsBadge(
  [first = "", ...others]: readonly string[],
  { signal, labelled }: Words,
): { children: string; title: string; tail: string } {
  const tail = others.length > 0 ? `+${others.length}` : "";
  return { children: labelled(signal.waits, first), title: [first, ...others].join(", "), tail };
}

export function signalsOf(row: BoardRow, now: number, words: Words): Signal[] {
  const { signal } = words;
  const found: Signal[] = [];
  const add = (
    key: string,
    tone: Tone,
    icon: IconName,
    children: string,
    title = "",
    more: Partial<Signal> = {},
  ): void => {
    found.push({ key, tone, icon, children, ...(title ? { title } : {}), ...more });
  };
  if (row.failed_proof > 0) add("failed", "red", "failed", signal.failed);
  if (row.conflicts > 0) add("conflicts", "orange", "conflict", `${signal.conflicts} ${row.conflicts}`);
  if (isBlocked(row)) add("blocked", "red", "blocked", signal.blocked, row.blocked.join("\n"));
  if (isPartlyBlocked(row)) add("partly", "amber", "blocked", signal.partly, row.blocked.join("\n"));
  if (row.drift) add("drift", "amber", "drift", signal.drift);
  if ((row.faults ?? 0) > 0) add("faults", "amber", "drift", `${signal.faults} ${row.faults}`);
  for (const claim of row.claims) {
    const exact = words.board.until(shortTime(claim.expires_at, words.locale));
    const what = claim.holds ? heldUntil(claim, now, words, true) : signal.expired;
    const tone = claim.holds ? "violet" : "plain";
    add(
      `claim ${claim.by} ${claim.step?.id}`,
      tone,
      "claim",
      nameOf(claim.by),
      `${exact} ${claim.step?.title ?? ""}`.trim(),
      // The name alone says that it is held now.
      { tail: what, ...(claim.holds && Date.parse(claim.expires_at) > now ? { brief: nameOf(claim.by) } : {}) },
    );
  }
  if (row.to_complete) add("complete", "green", "check", signal.complete);
  if (row.waits_for.length > 0 && isOpen(row.status)) {
    const { children, title, tail } = waitsBadge(row.waits_for, words);
    const brief = `${signal.waits} ${row.waits_for.length}`;
    add("waits", "plain", "wait", children, title, { ...(tail ? { tail } : {}), brief });
  }
  if (isReady(row)) {
    const what = row.ready ? `${row.ready.path} ${row.ready.title}` : signal.needsSteps;
    add("ready", "blue", "ready", signal.ready, what);
  }
  // A row says once that it is put away.
  if (row.packet && !(row.archived && row.packet.state === "archived"))
    add("packet", "plain", "packet", words.packet.states[row.packet.state], row.packet.stage ?? undefined);
  if (row.source === "coco") add("foreign", "plain", "file", signal.foreign);
  if (row.archived) add("archived", "plain", "archive", row.deleted ? signal.deleted : signal.archived);
  return found;
}

/** All signals of a row, on as many lines as they need. */
export function Signals({ row }: { row: BoardRow }): JSX.Element {
  const words = useWords();
  const now = useNow();
  return <SignalBadges list={signalsOf(row, now, words)} />;
}

/** `hidden`: what has no room, told by its number. */
export function SignalBadges({
  list,
  hidden = [],
}: {
  list: readonly Signal[];
  hidden?: readonly Signal[];
}): JSX.Element {
  return (
    <>
      {list.map((signal) => {
        const { key, tone, icon, children, tail } = signal;
        // A narrow card cuts it: what it says stands in the title too.
        return (
          <Badge key={key} tone={tone} icon={icon} title={titleOf(signal)} {...(tail ? { tail } : {})}>
            {children}
          </Badge>
        );
      })}
      {hidden.length > 0 && (
        <span class="badge plain" title={hidden.map(titleOf).join("\n")}>
          <span class="badge-text" aria-hidden="true">
            +{hidden.length}
          </span>
          <span class="visually-hidden">{hidden.map(textOf).join(", ")}</span>
        </span>
      )}
    </>
  );
}
