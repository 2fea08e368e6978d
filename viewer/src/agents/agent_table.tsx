/** A row for each agent: how much it did, how much of that failed, what it holds and waits for. A row opens its story. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { AgentStanding } from "../../../src/views/viewer/api.ts";
import { address, choose } from "../address.ts";
import { askAgain, useAnswer } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { PartOf } from "../parts/part_of.tsx";
import { Person } from "../parts/person.tsx";
import { Empty, When } from "../parts/states.tsx";
import { useStore } from "../store.ts";
import { useWords } from "../text/words.ts";
import { useNarrow } from "../use_narrow.ts";
import { inOrder, ORDERS, rateOf } from "./standing.ts";
import type { Order } from "./standing.ts";
import { Story } from "./story.tsx";

/** Rows at first, and after each click on more. */
const ROWS = 8;

interface AgentTableProps {
  /** Those that the search finds. */
  standings: readonly AgentStanding[];
  /** The page of lanes that has each of them. */
  pageOf: (by: string) => number;
}

export function AgentTable({ standings, pageOf }: AgentTableProps): JSX.Element {
  const { agents } = useWords();
  const { query } = useStore(address);
  const isNarrow = useNarrow();
  const order: Order = ORDERS.find((one) => one === query["sort"]) ?? "failed";
  const list = useMemo(() => inOrder(standings, order), [standings, order]);
  const chosen = list.find(({ by }) => by === query["agent"]);
  // A link to an agent leads to its row, too.
  const shown = chosen && list.indexOf(chosen) >= ROWS ? [chosen, ...list.filter((one) => one !== chosen)] : list;
  return (
    <>
      <label class="field">
        <span>{agents.sort}</span>
        <select
          value={order}
          onChange={({ currentTarget: { value } }) => choose({ sort: value === "failed" ? undefined : value }, true)}
        >
          {ORDERS.map((one) => (
            <option key={one} value={one}>
              {agents.orders[one]}
            </option>
          ))}
        </select>
      </label>
      <PartOf list={shown} size={ROWS}>
        {(part) =>
          isNarrow ? (
            <ul class="bare agent-list" aria-label={agents.table}>
              {part.map((one) => (
                <Item key={one.by} agent={one} isOpen={one === chosen} />
              ))}
            </ul>
          ) : (
            <div class="table-box agent-table" role="region" aria-label={agents.table}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">{agents.lane}</th>
                    {(["done", "failed", "rate", "lastFailure"] as const).map((one) => (
                      <th key={one} scope="col" aria-sort={one === order ? "descending" : undefined}>
                        {agents.orders[one]}
                      </th>
                    ))}
                    <th scope="col">{agents.holds}</th>
                    <th scope="col">{agents.waitsFor}</th>
                    <th scope="col" aria-sort={order === "last" ? "descending" : undefined}>
                      {agents.orders.last}
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {part.map((one) => (
                    <Row key={one.by} agent={one} isOpen={one === chosen} />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </PartOf>
      {chosen && <StoryOf key={chosen.by} by={chosen.by} page={pageOf(chosen.by)} />}
    </>
  );
}

/** The lane of an agent stands on one page of many. */
function StoryOf({ by, page }: { by: string; page: number }): JSX.Element {
  const { query } = useStore(address);
  const name = names.agents(page);
  const held = useAnswer(name);
  return (
    <When held={held} again={() => askAgain(name)}>
      {({ lanes }) => {
        const lane = lanes.find((one) => one.by === by);
        return lane ? (
          <Story lane={lane} onlyFailures={query["only"] === "failures"} />
        ) : (
          <Moved key={page} page={page} />
        );
      }}
    </When>
  );
}

/** Lanes change their pages as agents act. The table says on which page each one is, and may be older than that page. */
function Moved({ page }: { page: number }): JSX.Element {
  const { agents, state } = useWords();
  const look = (): void => {
    askAgain(names.standings);
    askAgain(names.agents(page));
  };
  useEffect(look, []);
  return (
    <Empty icon="agent" title={agents.moved}>
      <button type="button" class="button" onClick={look}>
        {state.again}
      </button>
    </Empty>
  );
}

interface RowProps {
  agent: AgentStanding;
  isOpen: boolean;
}

function Row({ agent, isOpen }: RowProps): JSX.Element {
  const { locale, count } = useWords();
  const { by, done, failed, last_failure, last, holds, waits } = agent;
  const rate = rateOf(agent);
  return (
    <tr class={isOpen ? "chosen" : undefined} onClick={() => toggle(by, isOpen)}>
      <th scope="row">
        <Choice by={by} isOpen={isOpen} />
      </th>
      <td>{done.toLocaleString(locale)}</td>
      <td class={failed > 0 ? "mark-red" : undefined}>{failed.toLocaleString(locale)}</td>
      <td>{rate === null ? "" : rate.toLocaleString(locale, { style: "percent" })}</td>
      <td>{last_failure && <Moment ts={last_failure} />}</td>
      <td>{placesOf(holds, count.more)}</td>
      <td>{placesOf(waits, count.more)}</td>
      <td>
        <Moment ts={last} />
      </td>
    </tr>
  );
}

/** The same on a narrow page, where a table would go on to the side: a fact that says nothing is left out. */
function Item({ agent, isOpen }: RowProps): JSX.Element {
  const { agents, locale, count } = useWords();
  const { by, done, failed, last_failure, last, holds, waits } = agent;
  const rate = rateOf(agent);
  const facts: [label: string, value: ComponentChildren][] = [
    [agents.orders.done, done.toLocaleString(locale)],
    [agents.orders.failed, failed > 0 && <span class="mark-red">{failed.toLocaleString(locale)}</span>],
    [agents.orders.rate, failed > 0 && rate?.toLocaleString(locale, { style: "percent" })],
    [agents.orders.lastFailure, last_failure && <Moment ts={last_failure} />],
    [agents.holds, placesOf(holds, count.more)],
    [agents.waitsFor, placesOf(waits, count.more)],
    [agents.orders.last, <Moment ts={last} />],
  ];
  return (
    <li class={isOpen ? "chosen" : undefined} onClick={() => toggle(by, isOpen)}>
      <Choice by={by} isOpen={isOpen} />
      <dl class="agent-facts">
        {facts.map(
          ([label, value]) =>
            value && (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </li>
  );
}

function toggle(by: string, isOpen: boolean): void {
  choose({ agent: isOpen ? undefined : by, only: undefined });
}

function Choice({ by, isOpen }: { by: string; isOpen: boolean }): JSX.Element {
  return (
    <button
      type="button"
      class="row-choice"
      aria-expanded={isOpen}
      onClick={(event) => {
        event.stopPropagation();
        toggle(by, isOpen);
      }}
    >
      <Icon name="chevron" />
      <Person by={by} />
    </button>
  );
}

/** The first two by their ids, and how many more. */
function placesOf(ids: readonly string[], more: (n: number) => string): string {
  return [...ids.slice(0, 2), ...(ids.length > 2 ? [more(ids.length - 2)] : [])].join(", ");
}
