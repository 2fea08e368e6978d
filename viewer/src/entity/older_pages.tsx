/** The older pages of a list that the page of an entity leaves out, one at a click. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { LIST_PAGE } from "../../../src/views/viewer/api.ts";
import type { EntityAnswer, ListName } from "../../../src/views/viewer/api.ts";
import { choose } from "../address.ts";
import { answerOf, askAgain, useAnswer } from "../data/answers.ts";
import { names } from "../data/names.ts";
import type { AnyList, Name } from "../data/names.ts";
import { kind } from "../data/source.ts";
import { Cut } from "../parts/cut.tsx";
import { When } from "../parts/states.tsx";
import { useWords } from "../text/words.ts";

interface OlderProps<T> {
  entity: EntityAnswer;
  /** False for a state of the past, of which a server alone has pages. */
  present: boolean;
  list: ListName;
  /** How many of the newest the page has, and the ids of all that stand above. */
  newest: number;
  known: ReadonlySet<string>;
  total: number;
  /** An entry that the address names. */
  wanted?: string | undefined;
  /** Newest first. */
  children: (entries: T[]) => ComponentChildren;
}

export function OlderPages<T extends { id: string }>(props: OlderProps<T>): JSX.Element {
  const { entity, present, list, newest, known, total, wanted, children } = props;
  const { count, entity: text } = useWords();
  /** The oldest page that is shown. */
  const [from, setFrom] = useState(Infinity);
  const last = Math.floor((total - newest - 1) / LIST_PAGE);
  const isHere = present || kind === "live";
  const nameOf = (page: number): Name<AnyList> =>
    names.list(entity.id, list, page, present ? undefined : entity.revision);
  useEffect(() => {
    if (!wanted || !isHere || known.has(wanted)) return;
    let left = false;
    void pageWith(wanted, list, last, nameOf).then((page) => {
      if (!left && page !== undefined) setFrom((before) => Math.min(before, page));
    });
    return () => void (left = true);
  }, [wanted, isHere]);
  const pages = Array.from({ length: Math.max(0, last - from + 1) }, (_, index) => last - index);
  return (
    <>
      {pages.map((page) => (
        <OlderPage key={page} name={nameOf(page)} list={list} known={known}>
          {children}
        </OlderPage>
      ))}
      <Cut shown={pages.length > 0 ? total - from * LIST_PAGE : newest} total={total}>
        {isHere ? (
          <button type="button" class="button" onClick={() => setFrom(Math.min(from, last + 1) - 1)}>
            {count.older}
          </button>
        ) : (
          <button type="button" class="button" onClick={() => choose({ at: undefined })}>
            {text.presentLink}
          </button>
        )}
      </Cut>
    </>
  );
}

interface OlderPageProps<T> extends Pick<OlderProps<T>, "list" | "known" | "children"> {
  name: Name<AnyList>;
}

function OlderPage<T extends { id: string }>({ name, list, known, children }: OlderPageProps<T>): JSX.Element {
  const held = useAnswer(name);
  return (
    <When held={held} again={() => askAgain(name)}>
      {(answer) =>
        children(
          entriesOf<T>(answer, list)
            .filter(({ id }) => !known.has(id))
            .toReversed(),
        )
      }
    </When>
  );
}

function entriesOf<T>(answer: AnyList, list: ListName): readonly T[] {
  return (answer as unknown as Record<ListName, readonly T[]>)[list];
}

/** The page that has this entry; undefined where none does. */
async function pageWith(
  wanted: string,
  list: ListName,
  last: number,
  nameOf: (page: number) => Name<AnyList>,
): Promise<number | undefined> {
  for (let page = last; page >= 0; page--) {
    const found = await answerOf(nameOf(page)).catch(() => undefined);
    if (found && entriesOf<{ id: string }>(found, list).some(({ id }) => id === wanted)) return page;
  }
  return undefined;
}
