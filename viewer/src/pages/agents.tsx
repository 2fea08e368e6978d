/** Agents: how each of them stands, what one did, and how they worked together over time. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { AgentsAnswer } from "../../../src/views/viewer/api.ts";
import { address, choose } from "../address.ts";
import { AgentTable } from "../agents/agent_table.tsx";
import { Lanes } from "../agents/lanes.tsx";
import { hasName, pagesOf } from "../agents/pages_of.ts";
import { useAnswer, askAgain } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { pageOf } from "../page_of.ts";
import { Cut } from "../parts/cut.tsx";
import { Icon } from "../parts/icon.tsx";
import { Pager } from "../parts/pager.tsx";
import { SearchField } from "../parts/search_field.tsx";
import { Empty, When } from "../parts/states.tsx";
import { useStore } from "../store.ts";
import { useWords } from "../text/words.ts";

/** Below it a reader sees each name at once. */
const SEARCHED_FROM = 9;

export function AgentsPage(): JSX.Element {
  const words = useWords();
  const { query } = useStore(address);
  const { value: first } = useAnswer(names.agents(0));
  const search = query["q"] ?? "";
  const counts = useMemo(() => pagesOf(first?.actors ?? [], first?.lanes_total ?? 0, search), [first, search]);
  const page = pageOf(query["page"], [...counts.keys()]);
  const name = names.agents(page);
  const held = useAnswer(name);
  return (
    <div class="page">
      <h1>{words.pages.agents}</h1>
      {first && (first.lanes_total >= SEARCHED_FROM || search !== "") && (
        <Search counts={counts} at={page} total={first.lanes_total} />
      )}
      <When held={held} again={() => askAgain(name)}>
        {(answer) =>
          counts.size > 0 ? (
            <Agents answer={answer} search={search} />
          ) : (
            <Empty icon="agent" title={search ? words.agents.noMatch : words.agents.empty} />
          )
        }
      </When>
    </div>
  );
}

interface SearchProps {
  /** Actors that are found, by page. */
  counts: ReadonlyMap<number, number>;
  at: number;
  total: number;
}

/** Above the answer, so that a letter which leads to another page keeps the field. */
function Search({ counts, at, total }: SearchProps): JSX.Element {
  const { agents } = useWords();
  const count = [...counts.values()].reduce((sum, one) => sum + one, 0);
  return (
    <div class="toolbar-row" role="search">
      <SearchField label={agents.search} forget={["page"]} />
      <span class="muted" role="status">
        {agents.found(count, total)}
      </span>
      <Cut shown={counts.get(at) ?? 0} total={count}>
        <Pager pages={[...counts.keys()]} at={at} name="page" label={agents.pagesOf} />
      </Cut>
    </div>
  );
}

function Agents({ answer, search }: { answer: AgentsAnswer; search: string }): JSX.Element {
  const { agents } = useWords();
  const { query } = useStore(address);
  const lanes = useMemo(() => answer.lanes.filter(({ by }) => hasName(by, search)), [answer, search]);
  // Links to a part of the lanes are older than their fold.
  const isOpen = ["lanes", "from", "to", "hide"].some((name) => query[name] !== undefined);
  return (
    <>
      <AgentTable lanes={lanes} />
      <details
        class="fold"
        open={isOpen}
        onToggle={({ currentTarget: { open } }) => {
          if (open === isOpen) return;
          choose(open ? { lanes: "1" } : { lanes: undefined, from: undefined, to: undefined, hide: undefined }, true);
        }}
      >
        <summary>
          <Icon name="chevron" />
          {agents.lanes}
        </summary>
        {isOpen && <Lanes answer={answer} search={search} />}
      </details>
    </>
  );
}
