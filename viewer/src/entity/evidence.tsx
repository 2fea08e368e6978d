/** Evidence: what was run and what it said, which files and links were named, and whether that still holds. */
import type { JSX, RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { CheckAnswer, EntityAnswer, EvidenceItem } from "../../../src/views/viewer/api.ts";
import { address, choose, hrefOf } from "../address.ts";
import { useAnswer } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { Badge } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import type { IconName } from "../parts/icon.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Moment } from "../parts/moment.tsx";
import { Person } from "../parts/person.tsx";
import { Output } from "../parts/output.tsx";
import { Empty } from "../parts/states.tsx";
import { useStore } from "../store.ts";
import { useWords } from "../text/words.ts";
import { OlderPages } from "./older_pages.tsx";

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
  const known = useMemo(() => new Set(entity.evidence.map((entry) => entry.id)), [entity.evidence]);
  const filter = FILTERS.find((one) => one === query["show"]) ?? "all";
  useEffect(() => {
    if (wanted) document.getElementById(`evidence-${wanted}`)?.scrollIntoView({ block: "center" });
  }, [wanted]);
  if (entity.evidence_total === 0) return <Empty icon="evidence" title={words.evidence.empty} />;
  const newest = entity.evidence.toReversed().filter(PASSES[filter]);
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
                {entity.evidence.length === entity.evidence_total && ` (${entity.evidence.filter(PASSES[one]).length})`}
              </option>
            ))}
          </select>
        </label>
      </div>
      {newest.length === 0 && <Empty icon="evidence" title={words.evidence.noMatch} />}
      <Entries id={entity.id} list={newest} check={check.value} wanted={wanted} />
      <OlderPages<EvidenceItem>
        entity={entity}
        present={present}
        list="evidence"
        newest={entity.evidence.length}
        known={known}
        total={entity.evidence_total}
        wanted={wanted}
      >
        {(entries) => (
          <OlderEntries id={entity.id} list={entries.filter(PASSES[filter])} check={check.value} wanted={wanted} />
        )}
      </OlderPages>
    </section>
  );
}

function OlderEntries(props: EntriesProps): JSX.Element {
  const words = useWords();
  const { list, wanted } = props;
  const isHere = list.some(({ id }) => id === wanted);
  useEffect(() => {
    if (isHere) document.getElementById(`evidence-${wanted}`)?.scrollIntoView({ block: "center" });
  }, [isHere, wanted]);
  if (list.length === 0) return <p class="muted">{words.evidence.noMatch}</p>;
  return <Entries {...props} />;
}

interface EntriesProps {
  id: string;
  list: readonly EvidenceItem[];
  check?: CheckAnswer | undefined;
  wanted?: string | undefined;
}

function Entries({ id, list, check, wanted }: EntriesProps): JSX.Element {
  const entries = useRef<HTMLUListElement>(null);
  useFocusInSight(entries);
  return (
    <ul class="bare entries" ref={entries}>
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

/** At the top of a page no browser keeps in place what a reader looks at. An entry that comes in there pushes it down. */
function useFocusInSight(list: RefObject<HTMLElement | null>): void {
  const topOfFocus = (): number | undefined => {
    const focused = document.activeElement;
    return focused && list.current?.contains(focused) ? focused.getBoundingClientRect().top : undefined;
  };
  const before = scrollY === 0 ? topOfFocus() : undefined;
  useLayoutEffect(() => {
    const after = topOfFocus();
    if (before !== undefined && after !== undefined && after > before) scrollBy(0, after - before);
  });
}

/** A receipt has its title behind the word of its kind: `LINK: https://...`. */
function saysMore({ summary, title }: EvidenceItem): boolean {
  return !(summary.endsWith(title) && /^(?:[A-Z]+: ?)?$/.test(summary.slice(0, summary.length - title.length)));
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
        <h3>{entry.superseded ? <s>{entry.title}</s> : entry.title}</h3>
        <span class="by-line muted">
          {entry.by && <Person by={entry.by} />} <Moment ts={entry.created_at} />
        </span>
        {entry.degree !== "claimed" && (
          <Badge tone="plain" icon="evidence">
            {evidence.degrees[entry.degree]}
          </Badge>
        )}
        {still?.status === "broken" && (
          <Badge tone="red" icon="failed" title={still.why.map(words.sentence).join("\n")}>
            {evidence.broken}
          </Badge>
        )}
        {still && still.stale !== null && (
          <Badge tone="amber" icon="drift" title={words.sentence(still.stale)}>
            {evidence.stale}
          </Badge>
        )}
        {still && still.status !== "broken" && (
          <Badge
            tone="plain"
            icon={still.status === "holds" ? "file" : "circle"}
            title={still.why.map(words.sentence).join("\n")}
          >
            {still.status === "holds" ? evidence.holds : evidence.unverifiable}
          </Badge>
        )}
      </div>
      {still?.status === "broken" && <p class="notice red">{still.why.map(words.sentence).join("; ")}</p>}
      {still && still.stale !== null && <p class="notice amber">{words.sentence(still.stale)}</p>}
      {entry.superseded && (
        <p class="notice amber">
          {evidence.superseded} <Person by={entry.superseded.by} /> <Moment ts={entry.superseded.ts} />:{" "}
          {entry.superseded.reason}
        </p>
      )}
      {entry.other_command && <p class="notice amber">{evidence.otherCommand}</p>}
      {entry.no_proof && <p class="notice amber">{evidence.noProof[entry.no_proof]}</p>}
      {entry.runs.map((run, index) => (
        <div key={index} class="run">
          <p class="command">
            {run.command !== entry.title && <code>{run.command}</code>}
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
      {entry.runs.length === 0 && saysMore(entry) && <Markdown text={entry.summary} />}
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

export function ExitCode({ code }: { code: number | null }): JSX.Element {
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
