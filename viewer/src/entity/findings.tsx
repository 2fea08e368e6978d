import type { JSX } from "preact";
import type { FindingItem } from "../../../src/views/viewer/api.ts";
import { hrefOf } from "../address.ts";
import { Badge } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import { useWords } from "../text/words.ts";

/** Findings of verify, with their meaning and a remedy. */
export function Findings({ list }: { list: readonly FindingItem[] }): JSX.Element {
  const { health, findings } = useWords();
  return (
    <ul class="bare entries">
      {list.map((finding) => {
        const explained = findings[finding.code] ?? finding.explained;
        return (
          <li key={keyOf(finding)} class="panel finding">
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
            {findings[finding.code] && <p>{explained?.what}</p>}
            <p class={findings[finding.code] ? "muted" : undefined}>{finding.message}</p>
            {explained && (
              <details class="fold">
                <summary>
                  <Icon name="chevron" />
                  {health.next}
                </summary>
                <dl class="explained">
                  <dt>{health.what}</dt>
                  <dd>{explained.what}</dd>
                  <dt>{health.why}</dt>
                  <dd>{explained.why}</dd>
                  <dt>{health.next}</dt>
                  <dd>{explained.next}</dd>
                </dl>
              </details>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** A new finding above it must not close the one that a reader opened. */
function keyOf({ code, entity, file, line, byte, message }: FindingItem): string {
  return [code, entity, file, line, byte, message].join("\n");
}
