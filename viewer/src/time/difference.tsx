/** Differences between two revisions. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Difference } from "../../../src/views/viewer/api.ts";
import { differenceOf } from "../../../src/views/viewer/difference.ts";
import { choose } from "../address.ts";
import { answerOf, REST, useAnswer } from "../data/answers.ts";
import type { Held } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { kind, NOT_HELD, Refusal } from "../data/source.ts";
import { Badge } from "../parts/badge.tsx";
import type { Tone } from "../parts/badge.tsx";
import { Cut } from "../parts/cut.tsx";
import { Icon } from "../parts/icon.tsx";
import type { IconName } from "../parts/icon.tsx";
import { Person } from "../parts/person.tsx";
import { When } from "../parts/states.tsx";
import { fieldName } from "../text/field_name.ts";
import { useWords } from "../text/words.ts";
import { Changes } from "./changes.tsx";

interface PanelProps {
  id: string;
  from: number;
  to: number;
}

export function DifferencePanel({ id, from, to }: PanelProps): JSX.Element {
  const { time, help } = useWords();
  const { value, refusal } = useDifference(id, Math.min(from, to), Math.max(from, to));
  return (
    <section class="panel difference" aria-labelledby="difference-title">
      <div class="entry-head">
        <h2 id="difference-title">
          {time.difference}: {time.between(Math.min(from, to), Math.max(from, to))}
        </h2>
        <button type="button" class="button small push" onClick={() => choose({ from: undefined })}>
          <Icon name="close" />
          {help.close}
        </button>
      </div>
      <When held={{ value, refusal }}>{(difference) => <Parts difference={difference} />}</When>
    </section>
  );
}

/** The server's answer; an export holds none, so the page makes the same of the two states. */
function useDifference(id: string, from: number, to: number): Held<Difference> {
  const served = useAnswer(kind === "live" ? names.difference(id, from, to) : null, REST);
  const [made, setMade] = useState<Held<Difference>>({ value: undefined, refusal: undefined });
  useEffect(() => {
    if (kind === "live") return;
    let left = false;
    const both = Promise.all([answerOf(names.revision(id, from)), answerOf(names.revision(id, to))]);
    both.then(
      ([before, after]) => !left && setMade({ value: differenceOf(before, after), refusal: undefined }),
      (error: unknown) => {
        const refusal = error instanceof Refusal ? error : new Refusal(NOT_HELD, String(error));
        if (!left) setMade({ value: undefined, refusal });
      },
    );
    return () => void (left = true);
  }, [id, from, to]);
  return kind === "live" ? served : made;
}

const HOW_LOOKS: Record<string, { tone: Tone; icon: IconName }> = {
  added: { tone: "green", icon: "plus" },
  came: { tone: "orange", icon: "conflict" },
  removed: { tone: "red", icon: "minus" },
  settled: { tone: "green", icon: "check" },
  changed: { tone: "blue", icon: "drift" },
};

function Parts({ difference }: { difference: Difference }): JSX.Element {
  const words = useWords();
  const { time } = words;
  const { fields, steps, evidence, notes, cards, taskdoc, stages, conflicts } = difference;
  const nothing = [fields, steps, evidence, notes, cards, taskdoc, stages, conflicts].every(
    (list) => list.length === 0,
  );
  if (nothing) return <p class="muted">{time.noDifference}</p>;
  return (
    <>
      <Part title={time.fields} show={fields.length > 0}>
        <Changes list={fields} />
      </Part>
      <Part title={time.steps} show={steps.length > 0}>
        {steps.map((step) => (
          <div key={step.id}>
            <h4>
              <span class="id">{step.path}</span> {step.title} <How how={step.how} />
            </h4>
            {step.how === "changed" && <Changes list={step.fields} />}
          </div>
        ))}
      </Part>
      <Part title={time.conflicts} show={conflicts.length > 0}>
        {conflicts.map((conflict) => (
          <p key={conflict.label}>
            {fieldName(conflict.label, words)} <How how={conflict.how} />
          </p>
        ))}
      </Part>
      <Part title={time.evidence} show={evidence.length > 0}>
        <p class="ids">{evidence.join(", ")}</p>
        <Cut shown={evidence.length} total={difference.evidence_total}>
          {time.restBelow}
        </Cut>
      </Part>
      <Part title={time.notes} show={notes.length > 0}>
        {notes.map((note) => (
          <p key={note.id}>
            <Person by={note.by} /> {note.text}
          </p>
        ))}
        <Cut shown={notes.length} total={difference.notes_total}>
          {time.restBelow}
        </Cut>
      </Part>
      <Part title={time.cards} show={cards.length > 0}>
        {cards.map((card) => (
          <p key={card.id}>
            {card.title} <How how={card.how} />
          </p>
        ))}
      </Part>
      <Part title={time.taskdoc} show={taskdoc.length > 0}>
        <Changes list={taskdoc.map(({ name, before, after }) => ({ field: name, before, after }))} />
      </Part>
      <Part title={time.stages} show={stages.length > 0}>
        <Changes list={stages.map(({ stage, before, after }) => ({ field: stage, before, after }))} />
      </Part>
    </>
  );
}

function Part({
  title,
  show,
  children,
}: {
  title: string;
  show: boolean;
  children: ComponentChildren;
}): JSX.Element | null {
  if (!show) return null;
  return (
    <>
      <h3>{title}</h3>
      {children}
    </>
  );
}

function How({ how }: { how: "added" | "removed" | "changed" | "came" | "settled" }): JSX.Element {
  const { time } = useWords();
  return <Badge {...HOW_LOOKS[how]!}>{time.how[how]}</Badge>;
}
