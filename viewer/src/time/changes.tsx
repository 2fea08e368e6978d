/** A list of fields with their values before and after. */
import type { JSX } from "preact";
import type { Json } from "../../../src/views/viewer/api.ts";
import { Value } from "../entity/conflicts.tsx";
import type { Words } from "../text/en.ts";
import { fieldName } from "../text/field_name.ts";
import { useWords } from "../text/words.ts";

interface Change {
  field: string;
  /** A name for people, where there is one. */
  label?: string;
  before: Json;
  after: Json;
}

export function Changes({ list }: { list: readonly Change[] }): JSX.Element {
  const words = useWords();
  const { time } = words;
  return (
    <dl class="changes">
      {list.map(({ field, label = field, before, after }) => (
        <div key={field}>
          <dt title={field}>{fieldName(label, words)}</dt>
          <dd class="before">
            <span class="visually-hidden">{time.before} </span>
            <Value value={wordOf(field, before, words)} />
          </dd>
          <dd class="after">
            <span class="visually-hidden">{time.after} </span>
            <Value value={wordOf(field, after, words)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Names of fields that hold reasons. */
const REASONS = new Set([
  "reason",
  "reasons",
  "checks",
  "suggested_actions",
  "status_reason",
  "block_reason",
  "reopened",
]);

/** A word or a reason of the engine in the reader's language; any other value as it is. */
function wordOf(field: string, value: Json, words: Words): Json {
  const { step, steps, status, entity, packet, reason } = words;
  const name = /[^. ]*$/.exec(field)![0];
  if (REASONS.has(name) && Array.isArray(value))
    return value.map((one) => (typeof one === "string" ? reason(one) : one));
  if (REASONS.has(name) && typeof value === "string") return reason(value);
  const tables: Record<string, Readonly<Record<string, string>>> = {
    state: { ...packet.states, ...entity.gateStates, ...step },
    proof_state: steps.proof,
    status,
    how: packet.how,
    gate: packet.gate,
    class: packet.classes,
  };
  const table = Object.hasOwn(tables, name) ? tables[name]! : {};
  return typeof value === "string" && Object.hasOwn(table, value) ? table[value]! : value;
}
