import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { FindingItem } from "../../../src/views/viewer/api.ts";
import { hrefOf } from "../address.ts";
import { Badge } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import { useWords } from "../text/words.ts";

/** So many findings or fewer stand with their remedy in sight. */
const FEW = 3;

/** Findings of verify, with their meaning and a remedy. */
export function Findings({ list }: { list: readonly FindingItem[] }): JSX.Element {
  return (
    <ul class="bare entries">
      {list.map((finding) => (
        <Finding key={keyOf(finding)} finding={finding} isAmongFew={list.length <= FEW} />
      ))}
    </ul>
  );
}

function Finding({ finding, isAmongFew }: { finding: FindingItem; isAmongFew: boolean }): JSX.Element {
  const { health, findings } = useWords();
  // The meaning in the language of the page stands in sight, so the fold says it no second time.
  const own = findings[finding.code];
  const explained = own ?? finding.explained;
  // More findings later close none that a reader has open.
  const [isOpen] = useState(isAmongFew);
  return (
    <li class="panel finding">
      <div class="entry-head">
        <Badge tone={finding.note ? "plain" : "red"} icon={finding.note ? "note" : "failed"}>
          {finding.note ? health.note : health.fault}
        </Badge>
        <span class="mono">{finding.code}</span>
        {finding.entity && <a href={hrefOf("task", finding.entity)}>{finding.entity}</a>}
        <span class="muted mono">
          {finding.file}
          {finding.line !== null && `, ${health.line(finding.line)}`}
        </span>
      </div>
      {own && <p>{own.what}</p>}
      <p class={own ? "muted" : undefined}>{finding.message}</p>
      {explained && (
        <details class="fold" open={isOpen}>
          <summary>
            <Icon name="chevron" />
            {health.next}
          </summary>
          <p>{begun(explained.next)}</p>
          <dl class="explained">
            {!own && (
              <>
                <dt>{health.what}</dt>
                <dd>{begun(explained.what)}</dd>
              </>
            )}
            <dt>{health.why}</dt>
            <dd>{begun(explained.why)}</dd>
          </dl>
        </details>
      )}
    </li>
  );
}

/** With a capital letter, but for a command. */
function begun(text: string): string {
  return text.startsWith("taskfold ") ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

/** A new finding above it must not close the one that a reader opened. */
function keyOf({ code, entity, file, line, byte, message }: FindingItem): string {
  return [code, entity, file, line, byte, message].join("\n");
}
