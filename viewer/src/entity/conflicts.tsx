import type { JSX } from "preact";
import type { ConflictItem, GateItem, Json } from "../../../src/views/viewer/api.ts";
import { Badge } from "../parts/badge.tsx";
import { LocalTimes } from "../parts/local_times.tsx";
import { Moment } from "../parts/moment.tsx";
import { Person } from "../parts/person.tsx";
import type { Words } from "../text/en.ts";
import { fieldName } from "../text/field_name.ts";
import { useWords } from "../text/words.ts";

/** A value of the log for people: text as it is, members of an object a line each, the rest as JSON. */
export function Value({ value }: { value: Json }): JSX.Element {
  const words = useWords();
  if (typeof value === "boolean") return <span class="value">{value ? words.yes : words.no}</span>;
  const text = valueText(value, words);
  if (text === "") return <span class="muted">{words.time.nothing}</span>;
  return (
    <span class="value">
      <LocalTimes text={text} />
    </span>
  );
}

function valueText(value: Json, words: Words): string {
  if (value === null) return "";
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return value.map(itemText).join("\n");
  const filled = Object.entries(value).filter(([, member]) => member !== null && member !== "" && !isEmpty(member));
  return filled.map(([key, member]) => words.labelled(fieldName(key, words), memberText(member, words))).join("\n");
}

function isEmpty(value: Json): boolean {
  return Array.isArray(value) && value.length === 0;
}

function memberText(member: Json, { yes, no }: Words): string {
  if (typeof member === "boolean") return member ? yes : no;
  if (Array.isArray(member)) return member.map(itemText).join("; ");
  return typeof member === "object" ? JSON.stringify(member) : String(member);
}

/** Another plan or task by its id: the root beside it is a hash. */
function itemText(item: Json): string {
  if (typeof item !== "object" || item === null) return String(item);
  const { id, root } = item as { id?: Json; root?: Json };
  return typeof id === "string" && typeof root === "string" ? id : JSON.stringify(item);
}

export function Conflicts({ conflicts }: { conflicts: readonly ConflictItem[] }): JSX.Element | null {
  const words = useWords();
  const { entity, signal } = words;
  if (conflicts.length === 0) return null;
  return (
    <section class="panel warn" aria-labelledby="conflicts-title">
      <h2 id="conflicts-title">{signal.conflicts}</h2>
      <p class="muted">{entity.conflictHint}</p>
      {conflicts.map((conflict) => (
        <div key={conflict.field} class="conflict">
          <h3>{fieldName(conflict.label, words)}</h3>
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
              tone={
                gate.state === "blocked" || gate.state === "rejected"
                  ? "red"
                  : gate.state === "approved"
                    ? "green"
                    : "plain"
              }
              icon={
                gate.state === "blocked"
                  ? "blocked"
                  : gate.state === "rejected"
                    ? "failed"
                    : gate.state === "approved"
                      ? "done"
                      : "circle"
              }
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
