/** Each change with who made it, by which tool, and what it wrote. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { EntityAnswer, HistoryItem } from "../../../src/views/viewer/api.ts";
import { HISTORY_PAGE } from "../../../src/views/viewer/api.ts";
import { address, choose } from "../address.ts";
import { REST, useAnswer } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { Badge } from "../parts/badge.tsx";
import { Logged } from "../parts/local_times.tsx";
import { Moment } from "../parts/moment.tsx";
import { PartOf } from "../parts/part_of.tsx";
import { Person } from "../parts/person.tsx";
import { Empty, Failure, When } from "../parts/states.tsx";
import { useStore } from "../store.ts";
import { useWords } from "../text/words.ts";
import type { Searching } from "./use_history_search.ts";
import { useHistorySearch } from "./use_history_search.ts";
import { Wrote } from "./wrote.tsx";

interface HistoryProps {
  entity: EntityAnswer;
  at: number;
  from: number | undefined;
  /** The first revision that there is a page of. */
  first: number;
}

export function History({ entity, at, from, first }: HistoryProps): JSX.Element {
  const words = useWords();
  const { query } = useStore(address);
  const search = query["find"] ?? "";
  const isSearching = search.trim() !== "";
  const pages = Math.max(1, entity.available.history_pages);
  const here = Math.min(pages - 1, Math.floor((at - 1) / HISTORY_PAGE));
  const [page, setPage] = useState(here);
  useEffect(() => {
    // A slider that moves over many pages asks for the one where it rests.
    const timer = setTimeout(() => setPage(here), REST);
    return () => clearTimeout(timer);
  }, [here]);
  const list = useRef<HTMLOListElement>(null);
  const held = useAnswer(isSearching ? null : names.history(entity.id, page));
  const found = useHistorySearch(entity, search);
  // The chosen change stays in sight while the slider moves or the past plays.
  useEffect(() => {
    const box = list.current;
    const chosen = box?.querySelector<HTMLElement>('[aria-current="true"]');
    if (!box || !chosen) return;
    const item = chosen.closest("li")!;
    const [top, bottom] = [item.offsetTop - box.offsetTop, item.offsetTop - box.offsetTop + item.offsetHeight];
    if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 3;
    // Not at each change of the log: a reader may look elsewhere in the list.
  }, [at, page, held.value === undefined]);
  const opsOf = (ops: readonly HistoryItem[]): JSX.Element => (
    <ol class="bare ops" ref={list} reversed>
      {ops.map((op) => (
        <Op key={op.op} id={entity.id} op={op} chosen={op.revision === at} held={op.revision >= first} from={from} />
      ))}
    </ol>
  );
  return (
    <section class="panel history">
      <h2>{words.time.history}</h2>
      <div class="section-tools">
        <input
          type="search"
          value={search}
          placeholder={words.time.filter}
          aria-label={words.time.filter}
          onInput={(event) => choose({ find: event.currentTarget.value }, true)}
        />
        {pages > 1 && !isSearching && (
          <select
            aria-label={words.entity.revision}
            value={page}
            onChange={(event) => setPage(Number(event.currentTarget.value))}
          >
            {Array.from({ length: pages }, (_, index) => (
              <option key={index} value={index}>
                {index * HISTORY_PAGE + 1} – {Math.min(entity.latest.revision, (index + 1) * HISTORY_PAGE)}
              </option>
            ))}
          </select>
        )}
      </div>
      {isSearching ? (
        <Found key={search} searching={found}>
          {opsOf}
        </Found>
      ) : (
        <When held={held}>{(history) => opsOf(history.ops.toReversed())}</When>
      )}
    </section>
  );
}

interface FoundProps {
  searching: Searching;
  children: (ops: readonly HistoryItem[]) => JSX.Element;
}

/** The changes of all pages that pass the filter. */
function Found({ searching, children }: FoundProps): JSX.Element {
  const { time, state } = useWords();
  const { value, refusal, isOld, isWhole, again } = searching;
  if (!value)
    return (
      <When held={searching} again={again}>
        {() => null}
      </When>
    );
  const { found, looked, total } = value;
  const soFar = isOld ? state.loading : time.looking(found.length, looked, total);
  return (
    <>
      <p class="muted" role="status">
        {isWhole ? (
          time.found(found.length, total)
        ) : (
          // A screen reader hears the end alone.
          <span aria-hidden="true">{soFar}</span>
        )}
      </p>
      {refusal && <Failure refusal={refusal} again={again} />}
      {isWhole && found.length === 0 && <Empty icon="clock" title={time.noMatch} />}
      <PartOf list={found} size={HISTORY_PAGE}>
        {(part) => part.length > 0 && children(part)}
      </PartOf>
    </>
  );
}

interface OpProps {
  id: string;
  op: HistoryItem;
  chosen: boolean;
  /** It has a page. */
  held: boolean;
  from: number | undefined;
}

function Op({ id, op, chosen, held, from }: OpProps): JSX.Element {
  const words = useWords();
  const { time } = words;
  const reversedRevision = op.turns && String(op.turns.revision ?? "?");
  return (
    <li class={op.undone ? "op undone" : "op"}>
      <button
        type="button"
        class="op-line"
        aria-current={chosen ? "true" : undefined}
        disabled={!held}
        onClick={() => choose({ at: String(op.revision) }, true)}
      >
        <span class="op-number">{op.revision}</span>
        <span class="op-text">
          <span class="op-message">
            <Logged text={op.message} />
          </span>
          <span class="by-line muted">
            <Person by={op.by} /> <Moment ts={op.ts} as="short" /> <span class="mono">{op.tool}</span>
          </span>
          <span class="op-marks">
            {op.undone && (
              <Badge tone="amber" icon="undo">
                {time.undone}
              </Badge>
            )}
            {op.redone && (
              <Badge tone="blue" icon="redo">
                {time.redone}
              </Badge>
            )}
            {op.turns && reversedRevision && (
              <Badge tone="plain" icon={op.turns.how}>
                {op.turns.how === "undo" ? time.undoOf(reversedRevision) : time.redoOf(reversedRevision)}
              </Badge>
            )}
            {op.merged && (
              <Badge tone="violet" icon="merge">
                {time.merged}
              </Badge>
            )}
          </span>
        </span>
      </button>
      <button
        type="button"
        class="button small compare"
        aria-pressed={from === op.revision}
        aria-label={`${time.compare} ${op.revision}`}
        disabled={!held}
        onClick={() => choose({ from: from === op.revision ? undefined : String(op.revision) })}
      >
        {time.compare}
      </button>
      {chosen && (
        <div class="op-body">
          <Wrote id={id} op={op} />
          <h3>{words.health.eventsTitle}</h3>
          <ul class="bare inline" aria-label={words.health.eventsTitle}>
            {op.events.map((event, index) => (
              <li key={index} class="mono muted">
                {event}
              </li>
            ))}
          </ul>
        </div>
      )}
    </li>
  );
}
