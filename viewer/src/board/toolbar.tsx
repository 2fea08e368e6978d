/** Search, groups and filters of the board. Each choice stands in the address. */
import type { JSX } from "preact";
import type { BoardRow } from "../../../src/views/viewer/api.ts";
import { address, choose } from "../address.ts";
import { Icon } from "../parts/icon.tsx";
import type { IconName } from "../parts/icon.tsx";
import { nameOf } from "../parts/person.tsx";
import { useStore } from "../store.ts";
import { useWords } from "../text/words.ts";
import { agentsOf, GROUPS, hasMark, MARKS } from "./select.ts";
import type { Choice, Group, Mark } from "./select.ts";

const ICONS: Record<Mark, IconName> = {
  ready: "ready",
  blocked: "blocked",
  claimed: "claim",
  conflicts: "conflict",
  drift: "drift",
  failed: "failed",
};

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
  const { query } = useStore(address);
  const live = choice.archived ? tasks : tasks.filter((row) => !row.archived);
  const toggle = (mark: Mark): void => {
    const marks = choice.marks.includes(mark) ? choice.marks.filter((one) => one !== mark) : [...choice.marks, mark];
    choose({ is: marks.join(",") }, true);
  };
  const isFiltered = ["q", "is", "plan", "agent", "tag", "priority", "archived"].some((key) => query[key]);
  const clear = { q: "", is: "", plan: "", agent: "", tag: "", priority: "", archived: "" };
  return (
    <div class="toolbar" role="search" aria-label={words.board.filters}>
      <div class="toolbar-row">
        <span class="search-field">
          <Icon name="search" />
          <input
            id="search"
            type="search"
            value={query["q"] ?? ""}
            placeholder={words.board.search}
            aria-label={words.board.search}
            onInput={(event) => choose({ q: event.currentTarget.value }, true)}
          />
        </span>
        <Select name="group" label={words.board.group} value={group} empty="none">
          {GROUPS.map((one) => [one, words.board.groups[one]])}
        </Select>
        <Select name="plan" label={words.board.plan} value={choice.plan} empty="">
          {options(
            live.map((row) => row.plan ?? "-"),
            words.board.all,
            (id) => (id === "-" ? words.board.noPlan : `${id} ${titles.get(id) ?? ""}`),
          )}
        </Select>
        <Select name="agent" label={words.board.agent} value={choice.agent} empty="">
          {options(
            live.flatMap((row) => agentsOf(row)),
            words.board.all,
            nameOf,
          )}
        </Select>
        <Select name="tag" label={words.board.tag} value={choice.tag} empty="">
          {options(
            live.flatMap((row) => row.tags),
            words.board.all,
          )}
        </Select>
        <Select name="priority" label={words.board.priority} value={choice.priority} empty="">
          {options(
            live.map((row) => row.priority),
            words.board.all,
          )}
        </Select>
      </div>
      <div class="toolbar-row">
        {MARKS.map((mark) => (
          <button
            key={mark}
            type="button"
            class={`chip ${mark}`}
            aria-pressed={choice.marks.includes(mark)}
            onClick={() => toggle(mark)}
          >
            <Icon name={ICONS[mark]} />
            {words.signal[mark]}
            <span class="count">{live.reduce((n, row) => n + (hasMark(row, mark) ? 1 : 0), 0)}</span>
          </button>
        ))}
        <label class="check">
          <input
            type="checkbox"
            checked={choice.archived}
            onChange={(event) => choose({ archived: event.currentTarget.checked ? "1" : "" }, true)}
          />
          {words.board.archived}
        </label>
        {isFiltered && (
          <button type="button" class="button small" onClick={() => choose(clear, true)}>
            <Icon name="close" />
            {words.board.clear}
          </button>
        )}
        <span class="push muted" role="status">
          {words.count.shown(shown, live.length)}
        </span>
      </div>
    </div>
  );
}

/** The values that there are, in order, after one for all of them. */
function options(values: readonly string[], all: string, name = (value: string): string => value): [string, string][] {
  const sorted = [...new Set(values)].toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return [["", all], ...sorted.map((value): [string, string] => [value, name(value)])];
}

interface SelectProps {
  name: string;
  label: string;
  value: string;
  /** The value that the address leaves out. */
  empty: string;
  children: [string, string][];
}

function Select({ name, label, value, empty, children }: SelectProps): JSX.Element | null {
  // Where there is nothing to choose among, a field only takes room.
  if (children.length < 2 && value === empty) return null;
  return (
    <label class="field">
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
