/** An agent's acts and claims in words: a row for each mark and each span. */
import type { ComponentChildren, JSX } from "preact";
import { isAhead } from "../../../src/views/viewer/ahead.ts";
import type { AgentMark, AgentSpan, MarkKind } from "../../../src/views/viewer/api.ts";
import { hrefOf } from "../address.ts";
import { useNow } from "../clock.ts";
import { Icon } from "../parts/icon.tsx";
import type { IconName } from "../parts/icon.tsx";
import { Logged } from "../parts/local_times.tsx";
import { nameOf } from "../text/actor_name.ts";
import { PartOf } from "../parts/part_of.tsx";
import { shortTime } from "../text/format.ts";
import { useWords } from "../text/words.ts";
import { useNarrow } from "../use_narrow.ts";
import { endOf, untilOf } from "./span_text.ts";

export const MARK_LOOKS: Record<MarkKind, { icon: IconName; tone: string }> = {
  create: { icon: "plus", tone: "plain" },
  claim: { icon: "claim", tone: "violet" },
  release: { icon: "minus", tone: "plain" },
  close: { icon: "done", tone: "green" },
  reopen: { icon: "undo", tone: "amber" },
  complete: { icon: "task", tone: "green" },
  evidence: { icon: "evidence", tone: "blue" },
  failure: { icon: "failed", tone: "red" },
  block: { icon: "blocked", tone: "red" },
  unblock: { icon: "ready", tone: "blue" },
  undo: { icon: "undo", tone: "amber" },
  redo: { icon: "redo", tone: "blue" },
  report: { icon: "file", tone: "blue" },
  stage_start: { icon: "play", tone: "blue" },
  stage_end: { icon: "packet", tone: "green" },
  kill: { icon: "close", tone: "red" },
  hand_over: { icon: "last", tone: "orange" },
  take_over: { icon: "first", tone: "orange" },
  note: { icon: "note", tone: "plain" },
  change: { icon: "circle", tone: "plain" },
};

/** Rows at first, and after each click on more. */
const ROWS = 100;

interface TableProps<T> {
  list: readonly T[];
  total?: number;
  label: string;
}

export function Marks({ list, total, label }: TableProps<AgentMark>): JSX.Element {
  const { agents } = useWords();
  const isNarrow = useNarrow();
  const { columns } = agents;
  const heads = [columns.time, columns.kind, columns.task, columns.text];
  return (
    <PartOf list={list} size={ROWS} rest={agents.rest} {...(total === undefined ? {} : { total })}>
      {(marks) => (
        <Table label={label} columns={isNarrow ? heads.slice(0, -1) : heads}>
          {marks.map((mark, index) => (
            <MarkRows key={index} mark={mark} isNarrow={isNarrow} />
          ))}
        </Table>
      )}
    </PartOf>
  );
}

/** On a phone the sentence has a row of its own, as wide as the table. */
function MarkRows({ mark, isNarrow }: { mark: AgentMark; isNarrow: boolean }): JSX.Element {
  const { agents, locale, aheadOfClock } = useWords();
  const now = new Date(useNow()).toISOString();
  const sentence = (
    <td class="sentence" colSpan={isNarrow ? 3 : 1}>
      <Logged text={mark.text} />
    </td>
  );
  return (
    <>
      <tr class={isNarrow ? "joined" : undefined}>
        <td class={isNarrow ? undefined : "one-line"}>
          {isAhead(mark.ts, now) ? aheadOfClock(shortTime(mark.ts, locale)) : shortTime(mark.ts, locale)}
        </td>
        <td>
          <span class={`kind mark-${MARK_LOOKS[mark.kind].tone}`}>
            <Icon name={MARK_LOOKS[mark.kind].icon} />
            {agents.marks[mark.kind]}
          </span>
          {mark.other && ` ${nameOf(mark.other)}`}
        </td>
        <td class="one-line">
          <a href={hrefOf("time", mark.entity, { at: String(mark.revision) })}>{mark.entity}</a>
        </td>
        {!isNarrow && sentence}
      </tr>
      {isNarrow && <tr>{sentence}</tr>}
    </>
  );
}

export function Spans({ list, total, label }: TableProps<AgentSpan>): JSX.Element {
  const words = useWords();
  const { agents, locale } = words;
  const { columns } = agents;
  return (
    <PartOf list={list} size={ROWS} rest={agents.rest} {...(total === undefined ? {} : { total })}>
      {(spans) => (
        <Table label={label} columns={[columns.kind, columns.task, columns.start, columns.until, columns.end]}>
          {spans.map((span, index) => (
            <tr key={index}>
              <td class="one-line">{agents[span.kind]}</td>
              <td>
                <a href={hrefOf("task", span.entity, span.kind === "stage" ? { tab: "packet" } : {})}>{span.entity}</a>{" "}
                {span.title}
              </td>
              <td class="one-line">{shortTime(span.from, locale)}</td>
              <td class="one-line">{untilOf(span, words)}</td>
              <td>{endOf(span, words)}</td>
            </tr>
          ))}
        </Table>
      )}
    </PartOf>
  );
}

interface FrameProps {
  label: string;
  columns: readonly string[];
  children: ComponentChildren;
}

function Table({ label, columns, children }: FrameProps): JSX.Element {
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
