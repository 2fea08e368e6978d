/** Warnings of a reading: of the workspace, or of one plan or task. */
import type { JSX } from "preact";
import type { ApiWarning } from "../../../src/views/viewer/api.ts";

export function Warnings({ list }: { list: readonly ApiWarning[] }): JSX.Element {
  return (
    <ul class="bare entries">
      {list.map((warning, index) => (
        <li key={index} class="panel">
          <p>
            <span class="mono">{warning.code}</span> {warning.message}
          </p>
          {warning.recovery && <p class="muted">{warning.recovery}</p>}
        </li>
      ))}
    </ul>
  );
}
