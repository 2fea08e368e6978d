import type { JSX } from "preact";
import { LIST_PAGE } from "../../../src/views/viewer/api.ts";
import type { HealthAnswer, LogItem } from "../../../src/views/viewer/api.ts";
import { address, choose, hrefOf } from "../address.ts";
import { pageOf } from "../page_of.ts";
import { askAgain, useAnswer } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { Findings } from "../entity/findings.tsx";
import { Bars } from "../parts/bars.tsx";
import { Cut } from "../parts/cut.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { Pager } from "../parts/pager.tsx";
import { Progress } from "../parts/progress.tsx";
import { When } from "../parts/states.tsx";
import { Warnings } from "../parts/warnings.tsx";
import { withGaps } from "../parts/with_gaps.ts";
import { useStore } from "../store.ts";
import { bytes, dayOf } from "../text/format.ts";
import { useWords } from "../text/words.ts";

export function HealthPage(): JSX.Element {
  const words = useWords();
  const held = useAnswer(names.health);
  return (
    <div class="page">
      <h1>{words.pages.health}</h1>
      <When held={held} again={() => askAgain(names.health)}>
        {(health) => (
          <>
            <Summary health={health} />
            <section>
              <h2>{words.health.findings}</h2>
              {health.findings.length === 0 && health.complete && (
                <p class="notice green">
                  <Icon name="done" /> {words.health.fine}
                </p>
              )}
              <Findings list={health.findings} />
              <Cut shown={health.findings.length} total={health.findings_total}>
                {words.health.rest}
              </Cut>
            </section>
            <Sizes health={health} />
          </>
        )}
      </When>
      <WorkspaceWarnings />
    </div>
  );
}

function Summary({ health }: { health: HealthAnswer }): JSX.Element {
  const words = useWords();
  const { faults_total: faults } = health;
  return (
    <>
      {health.complete ? (
        health.checked_at && (
          <p class="muted">
            {words.health.checkedAt} <Moment ts={health.checked_at} />
          </p>
        )
      ) : (
        <p class="facts-line">
          <Progress
            done={health.checked}
            total={health.total}
            label={words.health.checking(health.checked, health.total)}
            numbers={false}
          />
          {words.health.checking(health.checked, health.total)}
        </p>
      )}
      <ul class="bare tiles">
        <Tile label={words.health.faults} value={faults.toLocaleString(words.locale)} bad={faults > 0} />
        <Tile label={words.health.notes} value={(health.findings_total - faults).toLocaleString(words.locale)} />
      </ul>
    </>
  );
}

function Tile({ label, value, bad }: { label: string; value: string; bad?: boolean }): JSX.Element {
  return (
    <li class={bad ? "tile bad" : "tile"}>
      <span class="tile-value">{value}</span>
      <span class="tile-label">
        {bad && <Icon name="failed" />}
        {label}
      </span>
    </li>
  );
}

/** Folded: they ask nothing of anyone. An address that names a page of logs opens them. */
function Sizes({ health }: { health: HealthAnswer }): JSX.Element {
  const words = useWords();
  const { query } = useStore(address);
  const { count, bytes: size, events } = health.logs;
  const isOpen = query["logs"] !== undefined;
  return (
    <details
      class="fold"
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => open !== isOpen && choose({ logs: open ? "1" : undefined }, true)}
    >
      <summary>
        <Icon name="chevron" />
        {words.health.sizes}{" "}
        <span class="muted">{words.health.sizesOf(count, bytes(size, words.locale), words.count.events(events))}</span>
      </summary>
      {isOpen && (
        <>
          <Growth health={health} />
          <Logs health={health} />
        </>
      )}
    </details>
  );
}

function Growth({ health }: { health: HealthAnswer }): JSX.Element | null {
  const words = useWords();
  const { growth, early } = health.logs;
  if (growth.length === 0) return null;
  return (
    <section class="panel">
      <h2>{words.health.growth}</h2>
      <Bars
        label={words.health.growth}
        scale={(size) => bytes(size, words.locale)}
        head={words.health.day}
        columns={[words.health.columns.size, words.health.columns.events]}
        bars={withGaps(growth, DAY, timeOfDay, emptyDay).map(({ day, events, bytes: size }) => ({
          label: dayOf(day, words.locale),
          values: [size],
          texts: [bytes(size, words.locale), events.toLocaleString(words.locale)],
        }))}
      />
      {early > 0 && <p class="muted">{words.count.early(words.count.events(early))}</p>}
    </section>
  );
}

const DAY = 86_400_000;

type Grown = HealthAnswer["logs"]["growth"][number];

function timeOfDay({ day }: Grown): string {
  return `${day}T00:00:00Z`;
}

function emptyDay(time: string): Grown {
  return { day: time.slice(0, 10), events: 0, bytes: 0 };
}

/** Page 0 of the logs stands in the answer about health, the others in answers of their own. */
function Logs({ health }: { health: HealthAnswer }): JSX.Element {
  const words = useWords();
  const { query } = useStore(address);
  const { largest, count } = health.logs;
  const pages = Array.from({ length: Math.max(1, Math.ceil(count / LIST_PAGE)) }, (_, page) => page);
  const page = pageOf(query["logs"], pages);
  const name = page === 0 ? null : names.logs(page);
  const held = useAnswer(name);
  const most = Math.max(1, largest[0]?.bytes ?? 0);
  return (
    <section>
      <h2>{words.health.logs}</h2>
      {name ? (
        <When held={held} again={() => askAgain(name)}>
          {({ logs }) => <LogTable logs={logs} most={most} />}
        </When>
      ) : (
        <LogTable logs={largest} most={most} />
      )}
      <Cut shown={Math.min(LIST_PAGE, count - page * LIST_PAGE)} total={count}>
        <Pager pages={pages} at={page} name="logs" label={words.health.logPages} />
      </Cut>
    </section>
  );
}

function LogTable({ logs, most }: { logs: readonly LogItem[]; most: number }): JSX.Element {
  const words = useWords();
  const { columns } = words.health;
  return (
    <>
      <p class="muted small sideways">{words.health.sideways}</p>
      <div class="table-box" tabIndex={0} role="region" aria-label={words.health.logs}>
        <table>
          <thead>
            <tr>
              <th scope="col">{columns.id}</th>
              <th scope="col">{columns.size}</th>
              <th scope="col" class="number">
                {columns.events}
              </th>
              <th scope="col" class="number">
                {columns.revisions}
              </th>
              <th scope="col">{columns.age}</th>
              <th scope="col">{columns.changed}</th>
              <th scope="col" class="number">
                {columns.week}
              </th>
            </tr>
          </thead>
          <tbody>
            {logs.map((log) => (
              <tr key={log.id}>
                <td>
                  <a href={hrefOf("task", log.id)}>{log.id}</a>
                </td>
                <td>
                  <Progress done={log.bytes} total={most} label={bytes(log.bytes, words.locale)} numbers={false} />
                  {bytes(log.bytes, words.locale)}
                </td>
                <td class="number">{log.events.toLocaleString(words.locale)}</td>
                <td class="number">{log.revisions.toLocaleString(words.locale)}</td>
                <td>
                  <Moment ts={log.created_at} />
                </td>
                <td>
                  <Moment ts={log.updated_at} />
                </td>
                <td class="number">{bytes(log.bytes_last_week, words.locale)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function WorkspaceWarnings(): JSX.Element | null {
  const words = useWords();
  const { value } = useAnswer(names.workspace);
  if (!value || value.warnings.length === 0) return null;
  return (
    <section>
      <h2>{words.health.warnings}</h2>
      <Warnings list={value.warnings} />
      <Cut shown={value.warnings.length} total={value.warnings_total}>
        <code>taskfold verify</code>
      </Cut>
    </section>
  );
}
