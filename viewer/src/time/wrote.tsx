/** The fields that one change wrote, with both values, and its evidence with a link to each entry. */
import type { JSX } from "preact";
import type { HistoryItem } from "../../../src/views/viewer/api.ts";
import { hrefOf } from "../address.ts";
import { ExitCode } from "../entity/evidence.tsx";
import { Icon } from "../parts/icon.tsx";
import { useWords } from "../text/words.ts";
import { Changes } from "./changes.tsx";

export function Wrote({ id, op }: { id: string; op: HistoryItem }): JSX.Element {
  const { time, entity } = useWords();
  const { changes, changes_total, evidence, evidence_total } = op;
  return (
    <>
      <h3>{time.wrote}</h3>
      {changes.length + evidence.length === 0 && <p class="muted">{time.wroteNothing}</p>}
      {changes.length > 0 && <Changes list={changes} />}
      {changes_total > changes.length && <p class="muted">{time.wroteMore(changes_total - changes.length)}</p>}
      {evidence.length > 0 && (
        <ul class="bare rows" aria-label={entity.tabs.evidence}>
          {evidence.map((entry) => (
            <Entry key={entry.id} id={id} entry={entry} />
          ))}
        </ul>
      )}
      {evidence_total > evidence.length && <p class="muted">{time.capturedMore(evidence_total - evidence.length)}</p>}
    </>
  );
}

function Entry({ id, entry }: { id: string; entry: HistoryItem["evidence"][number] }): JSX.Element {
  const { evidence, steps } = useWords();
  const { kind, title, command, exit_code, step, checkpoints } = entry;
  const kinds = {
    "command-execution": evidence.run,
    "file-anchor": evidence.anchor,
    "runtime-event-range": evidence.log,
  };
  const about = [step ?? "", checkpoints.map((name) => steps.names[name]).join(", ")].filter(Boolean).join(" ");
  return (
    <li>
      <a href={hrefOf("task", id, { tab: "evidence", entry: entry.id })}>
        <Icon name="evidence" /> {title || entry.id}
      </a>{" "}
      <span class="muted">{kinds[kind]}</span>
      {command !== null && (
        <p class="command">
          {command !== title && <code>{command}</code>}
          <ExitCode code={exit_code} />
        </p>
      )}
      {about !== "" && (
        <p class="muted">
          {evidence.proves} {about}
        </p>
      )}
    </li>
  );
}
