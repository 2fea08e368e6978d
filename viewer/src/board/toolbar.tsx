/** Search, groups and filters of the board. Each choice stands in the address. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { BoardRow } from "../../../src/views/viewer/api.ts";
import { address, choose } from "../address.ts";
import { Icon } from "../parts/icon.tsx";
import { priorityName } from "../parts/priority.tsx";
import { SearchField } from "../parts/search_field.tsx";
import { store, useStore } from "../store.ts";
import { useWords } from "../text/words.ts";
import { useNarrow } from "../use_narrow.ts";
import { agentsOf, compareGroups, countMarks, GROUPS, MARKS, priorityOf } from "./select.ts";
import type { Choice, Group, Mark } from "./select.ts";
import { MARK_LOOKS } from "./mark_signals.tsx";

/** Whether a reader has the filters open: kept while the pages are open. */
const filtersOpen = store(false);
const FILTERS = "board-filters";

interface ToolbarProps {
  /** Tasks, before any filter. */
  tasks: readonly BoardRow[];
  titles: ReadonlyMap<string, string>;
  choice: Choice;
  group: Group;
  shown: number;
}

export function Toolbar({ tasks, titles, choice, group, shown }: ToolbarProps): JSX.Element {
  const words = useWords();
  const narrow = useNarrow();
  const open = useStore(filtersOpen);
  const { query } = useStore(address);
  const live = useMemo(
    () => (choice.archived ? tasks : tasks.filter((row) => !row.archived)),
    [tasks, choice.archived],
  );
  const set = CHOICES.reduce((n, key) => n + (query[key]?.split(",").length ?? 0), 0);
  const groups = (
    <Select name="group" label={words.board.group} value={group} empty="none">
      {GROUPS.map((one) => [one, words.board.groups[one]])}
    </Select>
  );
  return (
    <div class="toolbar" role="search" aria-label={words.board.filters}>
      <div class="toolbar-row">
        <SearchField label={words.board.search} />
        {!narrow && groups}
        <button
          type="button"
          class="button"
          aria-expanded={open}
          aria-controls={FILTERS}
          onClick={() => filtersOpen.set(!open)}
        >
          {words.board.filtersOf(set)}
        </button>
        {(set > 0 || query["q"]) && (
          <button type="button" class="button" onClick={() => choose(CLEAR, true)}>
            <Icon name="close" />
            {words.board.clear}
          </button>
        )}
        <span class="push muted" role="status">
          {words.count.shown(shown, live.length)}
        </span>
      </div>
      <div id={FILTERS} class="toolbar-row" hidden={!open}>
        {narrow && groups}
        <Marks live={live} choice={choice} />
        <Selects live={live} titles={titles} choice={choice} />
        <label class="check">
          <input
            type="checkbox"
            checked={choice.archived}
            onChange={(event) => choose({ archived: event.currentTarget.checked ? "1" : "" }, true)}
          />
          {words.board.archived}
        </label>
      </div>
    </div>
  );
}

/** Of a query: the choices beside the search, and none of them. */
const CHOICES = ["is", "plan", "agent", "tag", "priority", "archived"] as const;
const CLEAR = { q: "", is: "", plan: "", agent: "", tag: "", priority: "", archived: "" };

type SelectsProps = Pick<ToolbarProps, "titles" | "choice"> & { live: readonly BoardRow[] };

function Selects({ live, titles, choice }: SelectsProps): JSX.Element {
  const words = useWords();
  const { board } = words;
  // Each letter of a search draws the toolbar: ten thousand rows are looked through once a change.
  const values = useMemo(
    () => ({
      plan: distinct(live.map((row) => row.plan ?? "-")),
      agent: distinct(live.flatMap(agentsOf)),
      tag: distinct(live.flatMap((row) => row.tags)),
      priority: distinct(live.map((row) => priorityOf(row.priority))).toSorted(compareGroups("priority")),
    }),
    [live],
  );
  return (
    <>
      <Select name="plan" label={board.plan} value={choice.plan} empty="">
        {options(values.plan, board.all, (id) => (id === "-" ? board.noPlan : `${id} ${titles.get(id) ?? ""}`))}
      </Select>
      <Select name="agent" label={board.agent} hint={board.agentHint} value={choice.agent} empty="">
        {options(values.agent, board.all)}
      </Select>
      <Select name="tag" label={board.tag} value={choice.tag} empty="">
        {options(values.tag, board.all)}
      </Select>
      <Select name="priority" label={board.priority} value={choice.priority} empty="">
        {options(values.priority, board.all, (value) => priorityName(value, words))}
      </Select>
    </>
  );
}

function Marks({ live, choice }: { live: readonly BoardRow[]; choice: Choice }): JSX.Element {
  const words = useWords();
  const counts = useMemo(() => countMarks(live), [live]);
  const toggle = (mark: Mark): void => {
    const marks = choice.marks.includes(mark) ? choice.marks.filter((one) => one !== mark) : [...choice.marks, mark];
    choose({ is: marks.join(",") }, true);
  };
  return (
    <>
      {MARKS.filter((mark) => counts[mark] > 0 || choice.marks.includes(mark)).map((mark) => (
        <button
          key={mark}
          type="button"
          class={`chip ${mark}`}
          aria-pressed={choice.marks.includes(mark)}
          title={mark === "blocked" ? words.board.blockedHint : undefined}
          onClick={() => toggle(mark)}
        >
          <Icon name={MARK_LOOKS[mark].icon} />
          {words.signal[mark]}
          <span class="count">{counts[mark].toLocaleString(words.locale)}</span>
        </button>
      ))}
    </>
  );
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)].toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
}

/** Values, after one for all of them. */
function options(values: readonly string[], all: string, name = (value: string): string => value): [string, string][] {
  return [["", all], ...values.map((value): [string, string] => [value, name(value)])];
}

interface SelectProps {
  name: string;
  label: string;
  value: string;
  /** Says more than the label. */
  hint?: string;
  /** The value that the address leaves out. */
  empty: string;
  children: [string, string][];
}

function Select({ name, label, value, hint, empty, children }: SelectProps): JSX.Element | null {
  // Where there is nothing to choose among, a field only takes room.
  if (children.length < 2 && value === empty) return null;
  return (
    <label class="field" title={hint}>
      <span>{label}</span>
      <select
        value={value}
        onChange={(event) => choose({ [name]: event.currentTarget.value === empty ? "" : event.currentTarget.value })}
      >
        {children.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
