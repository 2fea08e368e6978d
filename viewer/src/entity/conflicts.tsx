import type { JSX } from "preact";
import type { ConflictItem, GateItem, Json } from "../../../src/views/viewer/api.ts";
import { Badge } from "../parts/badge.tsx";
import { Moment } from "../parts/moment.tsx";
import { Person } from "../parts/person.tsx";
import { useWords } from "../text/words.ts";

/** A value of the log for people: text as it is, the rest as JSON. */
export function Value({ value }: { value: Json }): JSX.Element {
  const { time } = useWords();
  if (value === null || value === "") return <span class="muted">{time.nothing}</span>;
  return <span class="value">{typeof value === "string" ? value : JSON.stringify(value, null, 1)}</span>;
}

export function Conflicts({ conflicts }: { conflicts: readonly ConflictItem[] }): JSX.Element | null {
  const { entity, signal } = useWords();
  if (conflicts.length === 0) return null;
  return (
    <section class="panel warn" aria-labelledby="conflicts-title">
      <h2 id="conflicts-title">{signal.conflicts}</h2>
      <p class="muted">{entity.conflictHint}</p>
      {conflicts.map((conflict) => (
        <div key={conflict.field} class="conflict">
          <h3>{conflict.label}</h3>
          <ul class="sides">
            {conflict.values.map((side) => (
              <li key={side.op} class={side.shown ? "side shown" : "side"}>
                <p class="by-line">
                  <Person by={side.by} /> <Moment ts={side.ts} />
                  {side.shown && (
                    <Badge tone="orange" icon="check">
                      {entity.shown}
                    </Badge>
                  )}
                </p>
                <Value value={side.value} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

export function Gates({ gates }: { gates: readonly GateItem[] }): JSX.Element | null {
  const { entity } = useWords();
  if (gates.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="gates-title">
      <h2 id="gates-title">{entity.gates}</h2>
      <ul class="bare rows">
        {gates.map((gate) => (
          <li key={gate.id}>
            <Badge
              tone={gate.state === "blocked" || gate.state === "rejected" ? "red" : gate.state === "approved" ? "green" : "plain"}
              icon={gate.state === "blocked" ? "blocked" : gate.state === "rejected" ? "failed" : gate.state === "approved" ? "done" : "circle"}
            >
              {entity.gateStates[gate.state]}
            </Badge>{" "}
            <span class="id">{gate.id}</span> {gate.reason}
            {gate.resolved_by && (
              <span class="muted">
                {" "}
                <Person by={gate.resolved_by} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
