import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { EntityAnswer, HistoryItem } from "../../../src/views/viewer/api.ts";
import { HISTORY_PAGE } from "../../../src/views/viewer/api.ts";
import { choose } from "../address.ts";
import { REST, useAnswer } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { isTyping } from "../is_typing.ts";
import { Icon } from "../parts/icon.tsx";
import type { IconName } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { Person } from "../parts/person.tsx";
import { nameOf } from "../text/actor_name.ts";
import type { Day } from "./days.ts";
import { endOf } from "./days.ts";
import { dayAndTime, dayOf, weekDay } from "../text/format.ts";
import { useWords } from "../text/words.ts";

interface PlayerProps {
  entity: EntityAnswer;
  first: number;
  last: number;
  at: number;
  days: readonly Day[];
}

const SPEEDS = [0.5, 1, 2, 4];

/** The slider over revisions, with the keys of a player. */
export function Player({ entity, first, last, at, days }: PlayerProps): JSX.Element {
  const { id } = entity;
  const { time, locale } = useWords();
  const op = useOp(entity, at);
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  /** The revision whose turn it is. */
  const [due, setDue] = useState<number>();
  // The next state is there before it is shown, so that each one is seen for as long as the speed says.
  const next = useAnswer(playing && at + 1 < last ? names.revision(id, at + 1) : null);
  const isReady = at + 1 >= last || next.value !== undefined || next.refusal !== undefined;
  const goTo = (revision: number): void => choose({ at: String(Math.min(last, Math.max(first, revision))) }, true);

  useEffect(() => {
    if (!playing) return;
    if (at >= last) {
      setPlaying(false);
      return;
    }
    const timer = setTimeout(() => setDue(at + 1), 900 / speed);
    return () => clearTimeout(timer);
  }, [playing, at, last, speed, id]);
  useEffect(() => {
    if (playing && isReady && due === at + 1) goTo(due);
  }, [playing, isReady, due, at]);

  const toggle = (): void => {
    if (!playing && at >= last) goTo(first);
    setPlaying(!playing);
  };
  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const action = { "[": () => goTo(at - 1), "]": () => goTo(at + 1), k: toggle }[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  });

  return (
    <div class="player panel" role="group" aria-label={time.slider}>
      <Control icon="first" label={time.first} off={at <= first} act={() => goTo(first)} />
      <Control icon="back" label={time.previous} off={at <= first} act={() => goTo(at - 1)} />
      <button type="button" class="button primary" onClick={toggle} aria-pressed={playing} disabled={first === last}>
        <Icon name={playing ? "pause" : "play"} />
        {playing ? time.pause : time.play}
      </button>
      <Control icon="chevron" label={time.next} off={at >= last} act={() => goTo(at + 1)} />
      <Control icon="last" label={time.last} off={at >= last} act={() => goTo(last)} />
      <input
        id="time-slider"
        type="range"
        min={first}
        max={last}
        value={at}
        aria-label={time.slider}
        aria-valuetext={[op && time.asOf(dayAndTime(op.ts, locale)), time.of(at, last), op && nameOf(op.by)]
          .filter(Boolean)
          .join(", ")}
        disabled={first === last}
        onInput={(event) => goTo(Number(event.currentTarget.value))}
      />
      <output for="time-slider">
        <span class="player-op">{op && <Moment ts={op.ts} as="as of" />}</span>
        <span class="player-op muted">
          {time.of(at, last)} {op && <Person by={op.by} />}
        </span>
      </output>
      <label class="field">
        <span>{time.speed}</span>
        <select value={speed} onChange={(event) => setSpeed(Number(event.currentTarget.value))}>
          {SPEEDS.map((one) => (
            <option key={one} value={one}>
              {one}×
            </option>
          ))}
        </select>
      </label>
      <Days days={days} first={first} last={last} at={at} />
    </div>
  );
}

/** Days that have room below the slider; a field finds the others. */
const MAX_DAYS = 8;

interface DaysProps {
  days: readonly Day[];
  first: number;
  last: number;
  at: number;
}

/** A scale of the reader's days: each leads to its end, and to what is different since. */
function Days({ days, first, last, at }: DaysProps): JSX.Element | null {
  const { time, count, locale } = useWords();
  // An export holds the last revisions alone, and of the oldest day of a cut history only a part may be told.
  const held = days.filter(({ day, begin }) => begin !== null && (endOf(days, day) ?? last) >= first);
  if (held.length === 0) return null;
  const goTo = (day: string): void => {
    const end = endOf(days, day);
    if (end === null) return;
    const revision = Math.max(first, end ?? last);
    choose({ at: String(revision), from: revision === last ? undefined : String(last) });
  };
  const [oldest, newest] = [held[0]!, held.at(-1)!];
  const here = held.find(({ day }) => (endOf(days, day) ?? last) >= at)?.day;
  return (
    <div class="days" role="group" aria-label={time.days}>
      {held.slice(-MAX_DAYS).map(({ day, changes }) => (
        <button
          key={day}
          type="button"
          class="day"
          style={{ flexGrow: changes }}
          aria-pressed={day === here}
          title={`${time.asOfDay(dayOf(day, locale))} (${count.changes(changes)})`}
          onClick={() => goTo(day)}
        >
          {weekDay(day, locale)}
        </button>
      ))}
      {held.length > MAX_DAYS && (
        <input
          type="date"
          aria-label={time.otherDay}
          min={oldest.day}
          max={newest.day}
          value={here}
          onChange={({ currentTarget: { value } }) => value !== "" && goTo(value)}
        />
      )}
    </div>
  );
}

/** The change that made a revision; undefined until its page of the history is read. */
function useOp({ id, available }: EntityAnswer, at: number): HistoryItem | undefined {
  const page = Math.floor((at - 1) / HISTORY_PAGE);
  const { value } = useAnswer(available.history_pages > page ? names.history(id, page) : null, REST);
  return value?.ops.find(({ revision }) => revision === at);
}

function Control({
  icon,
  label,
  off,
  act,
}: {
  icon: IconName;
  label: string;
  off: boolean;
  act: () => void;
}): JSX.Element {
  return (
    <button type="button" class="button icon-only" aria-label={label} title={label} disabled={off} onClick={act}>
      <Icon name={icon} />
    </button>
  );
}
