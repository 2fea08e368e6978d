/** Agents: how each of them stands, what one did, and how they worked together over time. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { StandingsAnswer } from "../../../src/views/viewer/api.ts";
import { LANES_PAGE } from "../../../src/views/viewer/api.ts";
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
  const name = names.standings;
  const held = useAnswer(name);
  const search = query["q"] ?? "";
  return (
    <div class="page">
      <h1>{words.pages.agents}</h1>
      <When held={held} again={() => askAgain(name)}>
        {(table) => <Agents table={table} search={search} />}
      </When>
    </div>
  );
}

function Agents({ table, search }: { table: StandingsAnswer; search: string }): JSX.Element {
  const { agents } = useWords();
  const { query } = useStore(address);
  const { standings: all, total } = table;
  const actors = useMemo(() => all.map(({ by }) => by), [all]);
  const standings = useMemo(() => all.filter(({ by }) => hasName(by, search)), [all, search]);
  const counts = useMemo(() => pagesOf(actors, total, search), [actors, total, search]);
  // Links to a part of the lanes are older than their fold.
  const isOpen = ["lanes", "from", "to", "hide"].some((one) => query[one] !== undefined);
  return (
    <>
      {(total >= SEARCHED_FROM || search !== "") && (
        <div class="toolbar-row" role="search">
          <SearchField label={agents.search} forget={["page"]} />
          <span class="muted" role="status">
            {agents.found(search === "" ? total : standings.length, total)}
          </span>
        </div>
      )}
      {standings.length === 0 ? (
        <Empty icon="agent" title={search ? agents.noMatch : agents.empty} />
      ) : (
        <>
          <AgentTable standings={standings} pageOf={(by) => Math.floor(actors.indexOf(by) / LANES_PAGE)} />
          <details
            class="fold"
            open={isOpen}
            onToggle={({ currentTarget: { open } }) => {
              if (open === isOpen) return;
              const shut = { lanes: undefined, from: undefined, to: undefined, hide: undefined, page: undefined };
              choose(open ? { lanes: "1" } : shut, true);
            }}
          >
            <summary>
              <Icon name="chevron" />
              {agents.lanes}
            </summary>
            {isOpen && <LanesPage counts={counts} search={search} />}
          </details>
        </>
      )}
    </>
  );
}

interface LanesPageProps {
  /** Actors that are found, by page. */
  counts: ReadonlyMap<number, number>;
  search: string;
}

function LanesPage({ counts, search }: LanesPageProps): JSX.Element {
  const { agents } = useWords();
  const { query } = useStore(address);
  const page = pageOf(query["page"], [...counts.keys()]);
  const name = names.agents(page);
  const held = useAnswer(name);
  const found = [...counts.values()].reduce((sum, one) => sum + one, 0);
  return (
    <>
      <Cut shown={counts.get(page) ?? 0} total={found}>
        <Pager pages={[...counts.keys()]} at={page} name="page" label={agents.pagesOf} />
      </Cut>
      <When held={held} again={() => askAgain(name)}>
        {(answer) => <Lanes answer={answer} search={search} />}
      </When>
    </>
  );
}
