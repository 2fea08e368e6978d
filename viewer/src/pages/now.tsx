/** The first page: what needs someone, each with the command that ends it, and what happened, newest first. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { NEED_KINDS } from "../../../src/state/need.ts";
import type { HappenedRow } from "../../../src/views/happened.ts";
import { happenedRows } from "../../../src/views/happened.ts";
import type { NeedItem, StatusAnswer } from "../../../src/views/viewer/api.ts";
import { hrefOf } from "../address.ts";
import { askAgain, useAnswer } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { lastVisit } from "../now/last_visit.ts";
import { placeOf } from "../now/place_of.ts";
import { useNow } from "../clock.ts";
import { heldUntil } from "../parts/badge.tsx";
import { Command } from "../parts/command.tsx";
import { Icon } from "../parts/icon.tsx";
import type { IconName } from "../parts/icon.tsx";
import { Logged, Sentence } from "../parts/local_times.tsx";
import { Moment } from "../parts/moment.tsx";
import { PartOf } from "../parts/part_of.tsx";
import { Person } from "../parts/person.tsx";
import { Empty, When } from "../parts/states.tsx";
import { dayOf, localDay } from "../text/format.ts";
import { useWords } from "../text/words.ts";

/** Needs of a kind, and rows of what happened, that stand on the page at first. */
const [NEEDS, ROWS] = [10, 20];
/** Changes of a row that stand on the page; `count` tells of all. */
const CHANGES = 3;

const LOOKS: Record<NeedItem["what"], { tone: string; icon: IconName }> = {
  complete: { tone: "green", icon: "done" },
  conflict: { tone: "orange", icon: "conflict" },
  proof: { tone: "red", icon: "failed" },
  claim_over: { tone: "violet", icon: "claim" },
  blocked: { tone: "red", icon: "blocked" },
  gate: { tone: "amber", icon: "pause" },
  drift: { tone: "amber", icon: "drift" },
  note: { tone: "blue", icon: "note" },
};

export function NowPage(): JSX.Element {
  const words = useWords();
  const held = useAnswer(names.status);
  const { value: workspace } = useAnswer(names.workspace);
  const [visit, setVisit] = useState<string>();
  const own = workspace && (workspace.id ?? workspace.name);
  useEffect(() => {
    if (own !== undefined) setVisit(lastVisit(own));
  }, [own]);
  return (
    <div class="page">
      <h1>{words.pages.now}</h1>
      {workspace !== undefined && workspace.warnings_total > 0 && (
        <p class="notice amber">
          <Icon name="drift" /> {words.state.warnings} ({workspace.warnings_total}).{" "}
          <a href={hrefOf("health")}>{words.pages.health}</a>
        </p>
      )}
      <When held={held} again={() => askAgain(names.status)}>
        {(status) => (
          <div class="now-body">
            <Needs status={status} />
            <Happened status={status} visit={visit} />
          </div>
        )}
      </When>
    </div>
  );
}

function Needs({ status: { needs_you: needs, happened, unseen } }: { status: StatusAnswer }): JSX.Element {
  const { now, count } = useWords();
  const left = Object.values(unseen).reduce((sum, n) => sum + n, 0);
  const [last] = happenedRows(happened.slice(0, 1));
  return (
    <section aria-labelledby="needs-title">
      <h2 id="needs-title">
        {now.needs} <span class="count">{count.number(needs.length)}</span>
      </h2>
      {needs.length === 0 && (
        <Empty icon="done" title={now.nothing}>
          {last && <LastDone row={last} />}
        </Empty>
      )}
      {NEED_KINDS.map((what) => {
        const list = needs.filter((need) => need.what === what);
        return list.length > 0 && <NeedsOfKind key={what} what={what} list={list} />;
      })}
      {left > 0 && <p class="muted">{now.unseen(left)}</p>}
    </section>
  );
}

function LastDone({ row: { by, task, title, until, changes } }: { row: HappenedRow }): JSX.Element {
  const { now } = useWords();
  const [change] = changes;
  return (
    <p>
      {now.last} {change && <Logged text={change.message} />} <Person by={by} /> <Moment ts={until} />{" "}
      <a href={hrefOf("task", task)}>
        {task} {title}
      </a>
    </p>
  );
}

function NeedsOfKind({ what, list }: { what: NeedItem["what"]; list: readonly NeedItem[] }): JSX.Element {
  const { now, count } = useWords();
  const { tone, icon } = LOOKS[what];
  return (
    <section class="panel needs" aria-labelledby={`needs-${what}`}>
      <h3 id={`needs-${what}`}>
        <span class={`badge ${tone}`}>
          <Icon name={icon} />
          {now.kinds[what]}
        </span>{" "}
        <span class="count">{count.number(list.length)}</span>
      </h3>
      <PartOf list={list} size={NEEDS}>
        {(part) => (
          <ul class="bare rows">
            {part.map((need, at) => (
              <Need key={`${need.task} ${need.step_id} ${at}`} need={need} />
            ))}
          </ul>
        )}
      </PartOf>
    </section>
  );
}

function Need({ need }: { need: NeedItem }): JSX.Element {
  const { task, title, why, who, since, held, command } = need;
  const words = useWords();
  const at = useNow();
  return (
    <li data-task={task}>
      <p class="row-head">
        <a href={placeOf(need)}>
          <span class="id">{task}</span> {title}
        </a>
        <span class="push muted">
          {who.map((by) => (
            <Person key={by} by={by} />
          ))}{" "}
          {since !== null && <Moment ts={since} />}
        </span>
      </p>
      <p>
        <Sentence of={why} />
      </p>
      {held && (
        <p class="muted">
          {words.now.held} <Person by={held.by} /> {heldUntil({ expires_at: held.until }, at, words)}
        </p>
      )}
      {command !== null && <Command line={command} />}
    </li>
  );
}

interface HappenedProps {
  status: StatusAnswer;
  /** When the reader was here last, and left. */
  visit: string | undefined;
}

function Happened({ status: { happened: changes, happened_more: isMore }, visit }: HappenedProps): JSX.Element {
  const { now } = useWords();
  const happened = happenedRows(changes, localDay);
  const counts = new Map(daysOf(happened).map(([day, rows]) => [day, rows.reduce((sum, { count }) => sum + count, 0)]));
  // Of the oldest day there may be others.
  if (isMore) counts.delete(happened.at(-1)?.day ?? "");
  const isNew = ({ until }: HappenedRow): boolean => visit !== undefined && until > visit;
  return (
    <section aria-labelledby="happened-title">
      <h2 id="happened-title">{now.happened}</h2>
      {visit !== undefined && (
        <p class="muted visit">
          {now.sinceVisit(happened.filter(isNew).length)} <Moment ts={visit} as="short" />
        </p>
      )}
      {happened.length === 0 && !isMore && <p class="muted">{now.nothingYet}</p>}
      <PartOf list={happened} size={ROWS}>
        {(part) =>
          daysOf(part).map(([day, rows]) => (
            <Day key={day} day={day} rows={rows} changes={counts.get(day)} isNew={isNew} />
          ))
        }
      </PartOf>
      {isMore && <p class="muted">{now.more}</p>}
    </section>
  );
}

interface DayProps {
  day: string;
  rows: readonly HappenedRow[];
  /** Of all rows of the day, also those that are not shown yet; undefined where there may be others. */
  changes: number | undefined;
  isNew: (row: HappenedRow) => boolean;
}

function Day({ day, rows, changes, isNew }: DayProps): JSX.Element {
  const { locale, count } = useWords();
  return (
    <section class="panel happened" data-day={day} aria-labelledby={`day-${day}`}>
      <h3 id={`day-${day}`}>
        {dayOf(day, locale)} {changes !== undefined && <span class="count">{count.changes(changes)}</span>}
      </h3>
      <ul class="bare rows">
        {rows.map((row) => (
          <HappenedLine key={`${row.by} ${row.task}`} row={row} isNew={isNew(row)} />
        ))}
      </ul>
    </section>
  );
}

function HappenedLine({ row, isNew }: { row: HappenedRow; isNew: boolean }): JSX.Element {
  const { now, count } = useWords();
  const { by, task, title, until, changes } = row;
  const shown = changes.slice(0, CHANGES);
  return (
    <li data-task={task} data-by={by} data-count={row.count}>
      <p class="row-head">
        <Person by={by} />
        <a href={hrefOf("task", task)}>
          <span class="id">{task}</span> {title}
        </a>
        <span class="push muted">
          {isNew && <span class="badge blue">{now.fresh}</span>} <Moment ts={until} />
        </span>
      </p>
      <ul class="bare changes-told">
        {shown.map(({ ts, message }, at) => (
          <li key={`${ts} ${at}`}>
            <Logged text={message} />
          </li>
        ))}
      </ul>
      {row.count > shown.length && (
        <p>
          <a href={hrefOf("time", task)}>{count.more(row.count - shown.length)}</a>
        </p>
      )}
    </li>
  );
}

/** In their order: the newest day first. */
function daysOf(rows: readonly HappenedRow[]): [day: string, rows: HappenedRow[]][] {
  const days = new Map<string, HappenedRow[]>();
  for (const row of rows) days.set(row.day, [...(days.get(row.day) ?? []), row]);
  return [...days];
}
