/** The board: columns by status, lanes by group. Ten thousand cards scroll because only those in sight are on the page. */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { BoardRow, Status } from "../../../src/views/viewer/api.ts";
import { address, choose, hrefOf } from "../address.ts";
import { Card } from "../board/card.tsx";
import { cardSize } from "../board/card_size.ts";
import { STATUSES } from "../../../src/state/entity.ts";
import { byLastChange, choiceOf, GROUPS, isChosen, lanesOf, linesOf } from "../board/select.ts";
import type { Group, Lane, Line } from "../board/select.ts";
import { columnWidth } from "../board/column_width.ts";
import { tabStop } from "../board/tab_stop.ts";
import { Toolbar } from "../board/toolbar.tsx";
import { useKeptPlace } from "../board/use_kept_place.ts";
import { useWindow } from "../board/use_window.ts";
import { board, openBoard } from "../data/board.ts";
import { markedIds } from "../data/changed_ids.ts";
import { STATUS_LOOKS } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import { PrintNote } from "../parts/print_note.tsx";
import { priorityName } from "../parts/priority.tsx";
import { Empty, Failure, Loading, PartFailure } from "../parts/states.tsx";
import { useStore } from "../store.ts";
import { useWords } from "../text/words.ts";
import { useNarrow } from "../use_narrow.ts";

/** Rem of the head of a lane, and below a card, as the style sheet has them. */
const [HEAD, GAP] = [2.75, 0.5];
/** Rem inside of a card that hold no text. */
const INNER = 1.7;
/** Columns that stand on the board also when they are empty. */
const USUAL: readonly Status[] = ["TODO", "ACTIVE", "DONE"];

export function BoardPage(): JSX.Element {
  const words = useWords();
  const { query } = useStore(address);
  const { rows, total, complete, warnings, refusal } = useStore(board);
  useEffect(openBoard, []);
  const choice = choiceOf(query);
  const group: Group = GROUPS.find((one) => one === query["group"]) ?? "none";
  const tasks = useMemo(() => rows.filter((row) => row.kind === "task").toSorted(byLastChange), [rows]);
  const titles = useMemo(
    () => new Map(rows.filter((row) => row.kind === "plan").map((row) => [row.id, row.title])),
    [rows],
  );
  const key = JSON.stringify(choice);
  const chosen = useMemo(() => tasks.filter((row) => isChosen(row, choice)), [tasks, key]);

  const allArchived = !choice.archived && tasks.every((row) => row.archived);

  if (rows.length === 0 && refusal) return <Failure refusal={refusal} title={words.pages.board} again={openBoard} />;
  if (rows.length === 0 && !complete) return <Loading />;
  return (
    <div class="board-page">
      <h1 class="visually-hidden">{words.pages.board}</h1>
      <Toolbar tasks={tasks} titles={titles} choice={choice} group={group} shown={chosen.length} />
      {refusal && <PartFailure refusal={refusal} shown={rows.length} total={total} again={openBoard} />}
      {warnings > 0 && (
        <p class="notice amber board-notice">
          <Icon name="drift" /> {words.state.warnings} ({warnings}). <a href={hrefOf("health")}>{words.pages.health}</a>
        </p>
      )}
      {tasks.length === 0 && !refusal && (
        <Empty icon="board" title={words.board.empty}>
          <p>{words.board.emptyHint}</p>
        </Empty>
      )}
      {tasks.length > 0 && chosen.length === 0 && (
        <Empty icon="search" title={allArchived ? words.board.allArchived : words.board.noMatch}>
          {allArchived && (
            <button type="button" class="button" onClick={() => choose({ archived: "1" }, true)}>
              {words.board.archived}
            </button>
          )}
        </Empty>
      )}
      {chosen.length > 0 && <Grid rows={chosen} group={group} titles={titles} />}
      {!complete && !refusal && <p class="visually-hidden">{words.state.loading}</p>}
    </div>
  );
}

interface GridProps {
  rows: readonly BoardRow[];
  group: Group;
  titles: ReadonlyMap<string, string>;
}

function Grid({ rows, group, titles }: GridProps): JSX.Element {
  const words = useWords();
  const box = useRef<HTMLDivElement>(null);
  const narrow = useNarrow();
  const [current, setCurrent] = useState<string>();
  const fresh = useStore(markedIds);
  const columns = useMemo(
    () => STATUSES.filter((status) => USUAL.includes(status) || rows.some((row) => row.status === status)),
    [rows],
  );
  const lanes = useMemo(() => lanesOf(rows, group, columns), [rows, group, columns]);
  // A narrow screen has one column: the lanes of each status stand below each other.
  const shownLanes = useMemo(() => (narrow ? stacked(lanes, columns) : lanes), [lanes, columns, narrow]);
  const lines = useMemo(() => linesOf(shownLanes, narrow || group !== "none"), [shownLanes, narrow, group]);
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const width = narrow ? 1 : columns.length;
  // The first frame has no width yet.
  const [boxWidth, setBoxWidth] = useState(innerWidth);
  const columnRem = columnWidth(boxWidth / rem, width);
  const room = columnRem - INNER;
  const tops = useMemo(() => {
    const found = [0];
    for (const line of lines) found.push(found.at(-1)! + rem * heightOf(line, room));
    return found;
  }, [lines, rem, room]);
  const seen = useWindow(box, tops);
  useLayoutEffect(() => {
    if (seen.width > 0) setBoxWidth(seen.width);
  }, [seen.width]);
  const counts = columns.map((status) => rows.reduce((n, row) => n + (row.status === status ? 1 : 0), 0));
  const stop = tabStop(lines, seen, current);

  const kept = useKeptPlace(box);
  const focusCard = (line: number, column: number): boolean => {
    const at = lines[line];
    const row = at && "lane" in at ? at.lane.columns[column]?.[at.index] : undefined;
    if (!row) return false;
    setCurrent(`${line}.${column}`);
    const element = box.current;
    if (element) {
      const head = element.querySelector<HTMLElement>(".board-head")?.offsetHeight ?? 0;
      if (tops[line]! < element.scrollTop) element.scrollTop = tops[line]!;
      const over = tops[line + 1]! + head - element.scrollTop - element.clientHeight;
      if (over > 0) element.scrollTop += over;
    }
    requestAnimationFrame(() =>
      requestAnimationFrame(() =>
        box.current?.querySelector<HTMLElement>(`[data-place="${line}.${column}"] a`)?.focus(),
      ),
    );
    return true;
  };

  const move = (event: KeyboardEvent): void => {
    const place = (event.target as HTMLElement).closest<HTMLElement>("[data-place]")?.dataset["place"];
    if (!place || event.ctrlKey || event.metaKey || event.altKey) return;
    const [line = 0, column = 0] = place.split(".").map(Number);
    const steps: Record<string, () => boolean> = {
      ArrowDown: () => along(line, column, 1),
      ArrowUp: () => along(line, column, -1),
      ArrowRight: () => beside(line, column, 1),
      ArrowLeft: () => beside(line, column, -1),
      Home: () => along(-1, column, 1),
      End: () => along(lines.length, column, -1),
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    step();
  };
  const along = (line: number, column: number, way: 1 | -1): boolean => {
    for (let at = line + way; at >= 0 && at < lines.length; at += way) if (focusCard(at, column)) return true;
    return false;
  };
  /** The next column that has a card, on this line or the nearest above. */
  const beside = (line: number, column: number, way: 1 | -1): boolean => {
    for (let to = column + way; to >= 0 && to < width; to += way) {
      for (let at = line; at >= 0; at--) if (focusCard(at, to)) return true;
    }
    return false;
  };

  return (
    <div
      class={`board columns-${width}`}
      style={{ "--column": `${columnRem}rem` }}
      ref={box}
      role="grid"
      aria-label={words.board.grid}
      aria-rowcount={lines.length + 1}
      aria-colcount={width}
      onKeyDown={move}
      {...kept}
    >
      {!narrow && (
        <div class="board-line board-head" role="row" aria-rowindex={1}>
          {columns.map((status, index) => (
            <div key={status} role="columnheader" class={`column-head status-${status}`}>
              <Icon name={STATUS_LOOKS[status].icon} />
              {words.status[status]}
              <span class="count">{counts[index]!.toLocaleString(words.locale)}</span>
            </div>
          ))}
        </div>
      )}
      <Spacer height={seen.before} />
      {lines.slice(seen.first, seen.end).map((line, offset) => {
        const index = seen.first + offset;
        return "head" in line ? (
          <div key={`head ${line.head.key}`} class="lane-head" role="row" aria-rowindex={index + 2}>
            <div role="gridcell" aria-colspan={width}>
              <h2>{laneTitle(line.head.key, group, narrow, titles, words)}</h2>
              <span class="count">{line.head.total.toLocaleString(words.locale)}</span>
            </div>
          </div>
        ) : (
          <div
            key={`${line.lane.key} ${line.index}`}
            class="board-line"
            role="row"
            aria-rowindex={index + 2}
            style={{ height: `${heightOf(line, room)}rem` }}
          >
            {line.lane.columns.map((column, at) => {
              const row = column[line.index];
              const place = `${index}.${at}`;
              return (
                <div key={at} role="gridcell" class="cell" data-place={place} onFocusIn={() => setCurrent(place)}>
                  {row && (
                    <Card
                      key={row.id}
                      row={row}
                      room={room}
                      size={cardSize(row, room)}
                      current={stop === place}
                      fresh={fresh.has(row.id)}
                    />
                  )}
                </div>
              );
            })}
          </div>
        );
      })}
      <Spacer height={seen.after} />
      <PrintNote lines={lines.length} />
    </div>
  );
}

/** In rem: of a line of cards that of the highest one. */
function heightOf(line: Line, room: number): number {
  if ("head" in line) return HEAD;
  const rows = line.lane.columns.flatMap((column) => column[line.index] ?? []);
  return GAP + Math.max(...rows.map((row) => cardSize(row, room).height));
}

function Spacer({ height }: { height: number }): JSX.Element {
  return <div role="presentation" class="spacer" style={{ height: `${height}px` }} />;
}

/** Each status of each lane as a lane of one column. */
function stacked(lanes: readonly Lane[], columns: readonly Status[]): Lane[] {
  return lanes.flatMap((lane) =>
    columns.flatMap((status, index) => {
      const column = lane.columns[index]!;
      return column.length > 0 ? [{ key: `${lane.key}\n${status}`, total: column.length, columns: [column] }] : [];
    }),
  );
}

function laneTitle(
  key: string,
  group: Group,
  narrow: boolean,
  titles: ReadonlyMap<string, string>,
  words: ReturnType<typeof useWords>,
): string {
  const [name = "", status] = key.split("\n");
  const label = groupTitle(name, group, titles, words);
  if (!narrow || !status) return label;
  const statusName = words.status[status as Status];
  return group === "none" ? statusName : `${label} · ${statusName}`;
}

function groupTitle(
  key: string,
  group: Group,
  titles: ReadonlyMap<string, string>,
  words: ReturnType<typeof useWords>,
): string {
  if (key === "")
    return { plan: words.board.noPlan, agent: words.board.none, tag: words.board.noTag, priority: "-", none: "" }[
      group
    ];
  if (group === "plan") return `${key} ${titles.get(key) ?? ""}`;
  return group === "priority" ? priorityName(key, words) : key;
}
