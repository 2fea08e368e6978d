/** A row for each agent: how much it did, how much of that failed, what it holds and waits for. A row opens its story. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { AgentLane } from "../../../src/views/viewer/api.ts";
import { address, choose } from "../address.ts";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { PartOf } from "../parts/part_of.tsx";
import { Person } from "../parts/person.tsx";
import { useStore } from "../store.ts";
import { useWords } from "../text/words.ts";
import { useNarrow } from "../use_narrow.ts";
import { inOrder, ORDERS, standingOf } from "./standing.ts";
import type { AgentStanding, Order } from "./standing.ts";
import { Story } from "./story.tsx";

/** Rows at first, and after each click on more. */
const ROWS = 8;
/** The columns of a narrow screen. */
const NUMBERS = ["done", "failed", "rate"] as const;

export function AgentTable({ lanes }: { lanes: readonly AgentLane[] }): JSX.Element {
  const { agents } = useWords();
  const { query } = useStore(address);
  const isNarrow = useNarrow();
  const order: Order = ORDERS.find((one) => one === query["sort"]) ?? "failed";
  const list = useMemo(() => inOrder(lanes.map(standingOf), order), [lanes, order]);
  const chosen = list.find(({ lane }) => lane.by === query["agent"]);
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
        {(part) => (
          <div class="table-box agent-table" role="region" aria-label={agents.table}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{agents.lane}</th>
                  {(isNarrow ? NUMBERS : [...NUMBERS, "lastFailure" as const]).map((one) => (
                    <th key={one} scope="col" aria-sort={one === order ? "descending" : undefined}>
                      {agents.orders[one]}
                    </th>
                  ))}
                  {!isNarrow && (
                    <>
                      <th scope="col">{agents.holds}</th>
                      <th scope="col">{agents.waitsFor}</th>
                      <th scope="col" aria-sort={order === "last" ? "descending" : undefined}>
                        {agents.orders.last}
                      </th>
                    </>
                  )}
                </tr>
              </thead>
              <tbody>
                {part.map((one) => (
                  <Row key={one.lane.by} standing={one} isOpen={one === chosen} isNarrow={isNarrow} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </PartOf>
      {chosen && <Story key={chosen.lane.by} lane={chosen.lane} onlyFailures={query["only"] === "failures"} />}
    </>
  );
}

interface RowProps {
  standing: AgentStanding;
  isOpen: boolean;
  isNarrow: boolean;
}

function Row({ standing, isOpen, isNarrow }: RowProps): JSX.Element {
  const { locale, count } = useWords();
  const { lane, done, failed, rate, lastFailure, holds } = standing;
  const toggle = (): void => choose({ agent: isOpen ? undefined : lane.by, only: undefined });
  return (
    <tr class={isOpen ? "chosen" : undefined} onClick={toggle}>
      <th scope="row">
        <button
          type="button"
          class="row-choice"
          aria-expanded={isOpen}
          onClick={(event) => {
            event.stopPropagation();
            toggle();
          }}
        >
          <Icon name="chevron" />
          <Person by={lane.by} />
        </button>
      </th>
      <td>{done.toLocaleString(locale)}</td>
      <td class={failed > 0 ? "mark-red" : undefined}>{failed.toLocaleString(locale)}</td>
      <td>{rate === null ? "" : rate.toLocaleString(locale, { style: "percent" })}</td>
      {!isNarrow && <td>{lastFailure && <Moment ts={lastFailure} />}</td>}
      {!isNarrow && (
        <>
          <td>{placesOf(holds, count.more)}</td>
          <td>{placesOf(lane.waits, count.more)}</td>
          <td>
            <Moment ts={lane.last} />
          </td>
        </>
      )}
    </tr>
  );
}

/** The first two by their ids, and how many more. */
function placesOf(list: readonly { entity: string }[], more: (n: number) => string): string {
  const ids = [...new Set(list.map(({ entity }) => entity))];
  return [...ids.slice(0, 2), ...(ids.length > 2 ? [more(ids.length - 2)] : [])].join(", ");
}
