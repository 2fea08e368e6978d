/** Differences between two revisions. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Difference, ItemDifference, PartDifference, PartName } from "../../../src/views/viewer/api.ts";
import { differenceOf } from "../../../src/views/viewer/difference.ts";
import { choose } from "../address.ts";
import { answerOf, REST, useAnswer } from "../data/answers.ts";
import type { Held } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { kind, refusalOf } from "../data/source.ts";
import { Badge } from "../parts/badge.tsx";
import type { Tone } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import type { IconName } from "../parts/icon.tsx";
import { PartOf } from "../parts/part_of.tsx";
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
  const { time, help, labelled } = useWords();
  const { value, refusal } = useDifference(id, Math.min(from, to), Math.max(from, to));
  return (
    <section class="panel difference" aria-labelledby="difference-title">
      <div class="entry-head">
        <h2 id="difference-title">{labelled(time.difference, time.between(Math.min(from, to), Math.max(from, to)))}</h2>
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
        const refusal = refusalOf(error);
        if (!left) setMade({ value: undefined, refusal });
      },
    );
    return () => void (left = true);
  }, [id, from, to]);
  return kind === "live" ? served : made;
}

const HOW_LOOKS: Record<ItemDifference["how"] | "came" | "settled", { tone: Tone; icon: IconName }> = {
  added: { tone: "green", icon: "plus" },
  came: { tone: "orange", icon: "conflict" },
  removed: { tone: "red", icon: "minus" },
  settled: { tone: "green", icon: "check" },
  changed: { tone: "blue", icon: "drift" },
};

/** Entries of one part that stand on the page at first. */
const PART_SIZE = 100;

function Parts({ difference: { fields, parts, cut } }: { difference: Difference }): JSX.Element {
  const { time } = useWords();
  const left = cut.map((part) => time.parts[part]).join(", ");
  return (
    <>
      {fields.length + parts.length === 0 && (
        <p class="muted">{cut.length > 0 ? time.noDifferenceHeld : time.noDifference}</p>
      )}
      {fields.length > 0 && (
        <>
          <h3>{time.fields}</h3>
          <Changes list={fields} />
        </>
      )}
      {parts.map((part) => (
        <Part key={part.part} part={part} />
      ))}
      {cut.length > 0 && <p class="muted cut">{time.cutParts(left)}</p>}
    </>
  );
}

function Part({ part: { part, items, added, removed } }: { part: PartDifference }): JSX.Element {
  const { time } = useWords();
  const changed = items.filter(({ how }) => how === "changed").length;
  return (
    <>
      <h3>{time.parts[part]}</h3>
      <PartOf list={items} total={added + removed + changed} size={PART_SIZE} rest={time.restBelow}>
        {(shown) => shown.map((item) => <Item key={`${item.how} ${item.id}`} part={part} item={item} />)}
      </PartOf>
    </>
  );
}

function Item({ part, item: { name, by, how, fields } }: { part: PartName; item: ItemDifference }): JSX.Element {
  const words = useWords();
  const conflict = { added: "came", removed: "settled", changed: "changed" } as const;
  const looks = part === "conflicts" ? conflict[how] : how;
  return (
    <div class="difference-item">
      <p>
        {by !== null && <Person by={by} />} {part === "conflicts" ? fieldName(name, words) : name || words.entity.whole}{" "}
        <Badge {...HOW_LOOKS[looks]}>{words.time.how[looks]}</Badge>
      </p>
      {fields.length > 0 && <Changes list={fields} />}
    </div>
  );
}
