/** Evidence: what was run and what it said, which files and links were named, and whether that still holds. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { CheckAnswer, EntityAnswer, EvidenceItem } from "../../../src/views/viewer/api.ts";
import { address, choose, hrefOf } from "../address.ts";
import { answerOf, useAnswer } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { Badge } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import type { IconName } from "../parts/icon.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Moment } from "../parts/moment.tsx";
import { Output } from "../parts/output.tsx";
import { Empty } from "../parts/states.tsx";
import { useStore } from "../store.ts";
import { useWords } from "../text/words.ts";

const FILTERS = ["all", "failed", "runs", "files", "links"] as const;
type Filter = (typeof FILTERS)[number];

const hasFailed = (entry: EvidenceItem): boolean =>
  entry.runs.some((run) => run.exit_code !== null && run.exit_code !== 0);

const PASSES: Record<Filter, (entry: EvidenceItem) => boolean> = {
  all: () => true,
  failed: hasFailed,
  runs: (entry) => entry.runs.length > 0,
  files: (entry) => entry.anchors.length > 0,
  links: (entry) => entry.links.length > 0,
};

export function Evidence({ entity, present }: { entity: EntityAnswer; present: boolean }): JSX.Element {
  const words = useWords();
  const { query } = useStore(address);
  const check = useAnswer(present && entity.available.check ? names.check(entity.id) : null);
  const wanted = query["entry"];
  const [pages, setPages] = useState(0);
  const newestIds = useMemo(() => new Set(entity.evidence.map((entry) => entry.id)), [entity.evidence]);
  useEffect(() => {
    if (!wanted || !present || newestIds.has(wanted)) return;
    let left = false;
    void olderPageOf(entity, wanted).then((page) => {
      if (!left && page !== undefined) setPages((before) => Math.max(before, lastOlder(entity) - page + 1));
    });
    return () => void (left = true);
  }, [wanted, present]);
  const filter = FILTERS.find((one) => one === query["show"]) ?? "all";
  useEffect(() => {
    if (wanted) document.getElementById(`evidence-${wanted}`)?.scrollIntoView({ block: "center" });
  }, [wanted]);
  if (entity.evidence_total === 0) return <Empty icon="evidence" title={words.evidence.empty} />;
  const newest = entity.evidence.toReversed().filter(PASSES[filter]);
  const older = entity.evidence_total - entity.evidence.length;
  return (
    <section aria-labelledby="evidence-title">
      <h2 id="evidence-title" class="visually-hidden">
        {words.entity.tabs.evidence}
      </h2>
      <div class="section-tools">
        <label>
          {words.evidence.filter}{" "}
          <select value={filter} onChange={(event) => choose({ show: event.currentTarget.value }, true)}>
            {FILTERS.map((one) => (
              <option key={one} value={one}>
                {words.evidence.filters[one]}
                {older === 0 && ` (${entity.evidence.filter(PASSES[one]).length})`}
              </option>
            ))}
          </select>
        </label>
      </div>
      {newest.length === 0 && <Empty icon="evidence" title={words.evidence.noMatch} />}
      <Entries id={entity.id} list={newest} check={check.value} wanted={wanted} />
      {Array.from({ length: pages }, (_, index) => (
        <OlderPage
          key={index}
          entity={entity}
          page={lastOlder(entity) - index}
          filter={filter}
          check={check.value}
          wanted={wanted}
        />
      ))}
      {present && older > 0 && pages <= lastOlder(entity) && (
        <button type="button" class="button" onClick={() => setPages(pages + 1)}>
          {words.evidence.older} ({words.count.more(older)})
        </button>
      )}
    </section>
  );
}

/** The page that holds the newest of those that the page of the entity leaves out. */
function lastOlder(entity: EntityAnswer): number {
  return Math.floor((entity.evidence_total - entity.evidence.length - 1) / 200);
}

/** The page of older entries that holds this one; undefined where none does. */
async function olderPageOf(entity: EntityAnswer, wanted: string): Promise<number | undefined> {
  for (let page = lastOlder(entity); page >= 0; page--) {
    const found = await answerOf(names.evidence(entity.id, page)).catch(() => undefined);
    if (found?.evidence.some(({ id }) => id === wanted)) return page;
  }
  return undefined;
}

interface OlderProps {
  entity: EntityAnswer;
  page: number;
  filter: Filter;
  check: CheckAnswer | undefined;
  wanted: string | undefined;
}

function OlderPage({ entity, page, filter, check, wanted }: OlderProps): JSX.Element {
  const words = useWords();
  const { value } = useAnswer(names.evidence(entity.id, page));
  const known = new Set(entity.evidence.map((entry) => entry.id));
  const list = (value?.evidence ?? []).filter((entry) => !known.has(entry.id) && PASSES[filter](entry)).toReversed();
  const isHere = list.some(({ id }) => id === wanted);
  useEffect(() => {
    if (isHere) document.getElementById(`evidence-${wanted}`)?.scrollIntoView({ block: "center" });
  }, [isHere, wanted]);
  if (value && list.length === 0) return <p class="muted">{words.evidence.noMatch}</p>;
  return <Entries id={entity.id} list={list} check={check} wanted={wanted} />;
}

interface EntriesProps {
  id: string;
  list: readonly EvidenceItem[];
  check?: CheckAnswer | undefined;
  wanted?: string | undefined;
}

function Entries({ id, list, check, wanted }: EntriesProps): JSX.Element {
  return (
    <ul class="bare entries">
      {list.map((entry) => (
        <li
          key={entry.id}
          id={`evidence-${entry.id}`}
          class={entry.id === wanted ? "panel entry marked" : "panel entry"}
        >
          <Entry id={id} entry={entry} check={check} />
        </li>
      ))}
    </ul>
  );
}

function Entry({ id, entry, check }: { id: string; entry: EvidenceItem; check: CheckAnswer | undefined }): JSX.Element {
  const words = useWords();
  const { evidence } = words;
  const still = check?.evidence[entry.id];
  const icon: IconName = entry.runs.length > 0 ? "play" : entry.anchors.length > 0 ? "file" : "link";
  return (
    <>
      <div class="entry-head">
        <Icon name={icon} />
        <h3>{entry.title}</h3>
        <span class="muted">
          <Moment ts={entry.created_at} />
        </span>
        {still?.status === "broken" && (
          <Badge tone="red" icon="failed" title={still.why.join("\n")}>
            {evidence.broken}
          </Badge>
        )}
        {still && still.status !== "broken" && (
          <Badge tone="plain" icon={still.status === "holds" ? "check" : "circle"} title={still.why.join("\n")}>
            {still.status === "holds" ? evidence.holds : evidence.unverifiable}
          </Badge>
        )}
      </div>
      {still?.status === "broken" && <p class="notice red">{still.why.join(" ")}</p>}
      {entry.no_proof && <p class="notice amber">{evidence.noProof[entry.no_proof]}</p>}
      {entry.runs.map((run, index) => (
        <div key={index} class="run">
          <p class="command">
            <code>{run.command}</code>
            <ExitCode code={run.exit_code} />
            {run.cwd !== "." && (
              <span class="muted">
                {evidence.in} {run.cwd}
              </span>
            )}
          </p>
          {run.stdout && <Output id={id} blob={run.stdout} label={evidence.stdout} />}
          {run.stderr && <Output id={id} blob={run.stderr} label={evidence.stderr} />}
        </div>
      ))}
      {entry.runs.length === 0 && entry.summary !== entry.title && <Markdown text={entry.summary} />}
      <ul class="bare">
        {entry.anchors.map((anchor, index) => (
          <li key={index}>
            <Icon name="file" /> <code>{anchor.path}</code>{" "}
            <span class="muted">{evidence.lines(anchor.start_line, anchor.end_line)}</span>
          </li>
        ))}
        {entry.links.map((link, index) => (
          <li key={index}>
            <Icon name="link" /> <SafeLink text={link} />
          </li>
        ))}
      </ul>
      {entry.artifacts.map((blob) => (
        <Output key={blob.sha256} id={id} blob={blob} label={evidence.artifact} />
      ))}
      <p class="by-line muted">
        {entry.linked.map((link, index) => (
          <a key={index} href={hrefOf("task", id, { step: link.step.path })}>
            {evidence.proves} <span class="id">{link.step.path}</span> {words.steps.names[link.checkpoint]}
            {!link.counts && ` (${evidence.countsNot})`}
          </a>
        ))}
        {entry.commit && (
          <span>
            {evidence.commit} <code>{entry.commit.slice(0, 12)}</code>
          </span>
        )}
        <a class="push id" href={hrefOf("task", id, { tab: "evidence", entry: entry.id })}>
          {entry.id}
        </a>
      </p>
    </>
  );
}

function ExitCode({ code }: { code: number | null }): JSX.Element {
  const { evidence } = useWords();
  const tone = code === null ? "plain" : code === 0 ? "green" : "red";
  return (
    <Badge tone={tone} icon={code === null ? "circle" : code === 0 ? "check" : "failed"}>
      {evidence.exit(code)}
    </Badge>
  );
}

/** A text that users wrote becomes a link where it leads to the web, and stays a text otherwise. */
export function SafeLink({ text }: { text: string }): JSX.Element {
  if (!/^https?:\/\//i.test(text)) return <span class="mono">{text}</span>;
  return (
    <a href={text} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  );
}
