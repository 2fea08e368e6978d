/** Each change with who made it, by which tool, and what it wrote. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { EntityAnswer, HistoryItem } from "../../../src/views/viewer/api.ts";
import { HISTORY_PAGE } from "../../../src/views/viewer/api.ts";
import { address, choose } from "../address.ts";
import { useAnswer } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { Badge } from "../parts/badge.tsx";
import { Sentence } from "../parts/local_times.tsx";
import { Moment } from "../parts/moment.tsx";
import { Person } from "../parts/person.tsx";
import { Empty, When } from "../parts/states.tsx";
import { useStore } from "../store.ts";
import { useWords } from "../text/words.ts";
import { Changes } from "./changes.tsx";
import { passesFilter } from "./passes_filter.ts";

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
  const pages = Math.max(1, entity.available.history_pages);
  const here = Math.min(pages - 1, Math.floor((at - 1) / HISTORY_PAGE));
  const [page, setPage] = useState(here);
  const label = pages > 1 ? words.time.filterPage : words.time.filter;
  useEffect(() => setPage(here), [here]);
  const list = useRef<HTMLOListElement>(null);
  const held = useAnswer(names.history(entity.id, page));
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
  return (
    <section class="panel history">
      <h2>{words.time.history}</h2>
      <div class="section-tools">
        <input
          type="search"
          value={search}
          placeholder={label}
          aria-label={label}
          onInput={(event) => choose({ find: event.currentTarget.value }, true)}
        />
        {pages > 1 && (
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
      <When held={held}>
        {(history) => {
          const ops = history.ops.filter((op) => passesFilter(op, search, words)).toReversed();
          if (ops.length === 0) return <Empty icon="clock" title={words.time.noMatch} />;
          return (
            <ol class="bare ops" ref={list} reversed>
              {ops.map((op) => (
                <Op key={op.op} op={op} chosen={op.revision === at} held={op.revision >= first} from={from} />
              ))}
            </ol>
          );
        }}
      </When>
    </section>
  );
}

interface OpProps {
  op: HistoryItem;
  chosen: boolean;
  /** It has a page. */
  held: boolean;
  from: number | undefined;
}

function Op({ op, chosen, held, from }: OpProps): JSX.Element {
  const words = useWords();
  const { time } = words;
  const turned = op.turns && String(op.turns.revision ?? "?");
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
            <Sentence text={op.message} />
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
            {op.turns && turned && (
              <Badge tone="plain" icon={op.turns.how}>
                {op.turns.how === "undo" ? time.undoOf(turned) : time.redoOf(turned)}
              </Badge>
            )}
            {op.merged && (
              <Badge tone="violet" icon="merge">
                {time.merged}
              </Badge>
            )}
            {from === op.revision && (
              <Badge tone="orange" icon="first">
                {time.compare}
              </Badge>
            )}
          </span>
        </span>
      </button>
      {chosen && (
        <div class="op-body">
          {op.changes.length > 0 && <h3>{time.wrote}</h3>}
          {op.changes.length > 0 && <Changes list={op.changes} />}
          {op.changes_total > op.changes.length && (
            <p class="muted">{time.wroteMore(op.changes_total - op.changes.length)}</p>
          )}
          <h3>{words.health.eventsTitle}</h3>
          <ul class="bare inline" aria-label={words.health.eventsTitle}>
            {op.events.map((event, index) => (
              <li key={index} class="mono muted">
                {event}
              </li>
            ))}
          </ul>
          <button
            type="button"
            class="button small"
            onClick={() => choose({ from: from === op.revision ? undefined : String(op.revision) })}
          >
            {from === op.revision ? `${time.compare}: ${time.compareNone}` : time.compareHere}
          </button>
        </div>
      )}
    </li>
  );
}
