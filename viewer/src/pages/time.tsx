/** The past: the whole page as of any change, what each change wrote, and what is different between any two. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { EntityAnswer } from "../../../src/views/viewer/api.ts";
import { address, choose, hrefOfEntity } from "../address.ts";
import { askAgain, REST, useAnswer } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { kind } from "../data/source.ts";
import { EntityBody } from "../entity/entity_body.tsx";
import { EntityHead } from "../entity/entity_head.tsx";
import { PlanBody } from "../entity/plan_body.tsx";
import { Icon } from "../parts/icon.tsx";
import { Empty, When } from "../parts/states.tsx";
import { useStore } from "../store.ts";
import { dayOf } from "../text/format.ts";
import { useWords } from "../text/words.ts";
import { daysOf, pageOfBegin } from "../time/days.ts";
import { DifferencePanel } from "../time/difference.tsx";
import { History } from "../time/history.tsx";
import { Player } from "../time/player.tsx";
import { Tallest } from "../time/tallest.tsx";

export function TimePage({ id }: { id: string }): JSX.Element {
  const words = useWords();
  const name = names.entity(id);
  const held = useAnswer(name);
  return (
    <When held={held} title={id} again={() => askAgain(name)}>
      {(entity) => {
        if (entity.source === "coco") return <Empty icon="clock" title={words.time.foreign} />;
        return <Past entity={entity} />;
      }}
    </When>
  );
}

/** `2026-11-24` */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

function Past({ entity }: { entity: EntityAnswer }): JSX.Element {
  const words = useWords();
  const { query } = useStore(address);
  const { revisions } = entity.available;
  const last = entity.latest.revision;
  const first = revisions?.from ?? last;
  const wanted = Number(query["at"]);
  // Without a revision in the address the page follows the present.
  const at = query["at"] && Number.isInteger(wanted) ? Math.min(last, Math.max(first, wanted)) : last;
  const { value: newest } = useAnswer(
    entity.available.history_pages > 0 ? names.history(entity.id, entity.available.history_pages - 1) : null,
  );
  const days = useMemo(() => (newest ? daysOf(newest) : []), [newest]);
  const wantedFrom = query["from"] ?? "";
  // A day stands for the state that it began with: a link can name it before it knows a revision.
  const isDay = DAY.test(wantedFrom);
  const begin = isDay && newest ? pageOfBegin(days, wantedFrom, first, last) : undefined;
  const from = isDay ? begin : Number(wantedFrom);
  const base = from && Number.isInteger(from) && from >= first && from <= last ? from : undefined;
  return (
    <div class="page time-page">
      <p class="crumbs">
        <a href={hrefOfEntity(entity.id, entity.kind)}>
          <Icon name={entity.kind} /> <span class="id">{entity.id}</span> {entity.title}
        </a>
        <span aria-hidden="true"> / </span> {words.pages.time}
      </p>
      <NotHeld entity={entity} first={first} last={last} isDayKnown={begin !== null} />
      <Player entity={entity} first={first} last={last} at={at} days={days} />
      <div class="time-body">
        {entity.available.history_pages > 0 && (
          <aside class="time-side" aria-label={words.time.history}>
            <History entity={entity} at={at} from={base} first={first} />
          </aside>
        )}
        <div class="time-main">
          {base !== undefined && base !== at && <DifferencePanel id={entity.id} from={base} to={at} />}
          {base === at && isDay && (
            <p class="notice">
              {words.time.unchangedSince} {dayOf(wantedFrom, words.locale)}
            </p>
          )}
          <AsOf entity={entity} at={at} />
        </div>
      </div>
    </div>
  );
}

interface NotHeldProps {
  entity: EntityAnswer;
  first: number;
  last: number;
  isDayKnown: boolean;
}

/** Revisions that the address names and that are not here: what is missing, what there is, and where the rest is. */
function NotHeld({ entity, first, last, isDayKnown }: NotHeldProps): JSX.Element | null {
  const { time, locale } = useWords();
  const { query } = useStore(address);
  const nameOf = (text: string): string =>
    DAY.test(text) ? time.beginOfDay(dayOf(text, locale)) : time.revision(text);
  const isHere = (text: string): boolean =>
    DAY.test(text) ? isDayKnown : Number.isInteger(Number(text)) && Number(text) >= first && Number(text) <= last;
  const missing = [query["from"], query["at"]].flatMap((text) => (text && !isHere(text) ? [text] : []));
  const hasPast = entity.available.revisions !== null;
  const isTooLong = entity.available.history_pages === 0;
  if (hasPast && missing.length === 0) return null;
  return (
    <div class="notice amber" role="status">
      {missing.length > 0 && <p>{time.missing(missing.map(nameOf).join(", "))}</p>}
      <p>{isTooLong ? time.tooLong : hasPast ? time.held(first, last) : time.notExported}</p>
      {query["from"] && missing.includes(query["from"]) && <p>{time.notCompared}</p>}
      {kind !== "live" && !isTooLong && <p>{time.howToGet(entity.id)}</p>}
    </div>
  );
}

/** The page at a revision. While the slider moves, the last one that arrived stays: nothing flickers. */
function AsOf({ entity, at }: { entity: EntityAnswer; at: number }): JSX.Element {
  const words = useWords();
  const isPresent = at === entity.latest.revision;
  const name = isPresent ? null : names.revision(entity.id, at);
  const held = useAnswer(name, REST);
  const now = isPresent ? entity : held.value;
  const [shown, setShown] = useState<EntityAnswer | undefined>(now);
  useEffect(() => {
    if (now) setShown(now);
  }, [now]);
  if (!isPresent && held.refusal) return <When held={held}>{() => null}</When>;
  const state = now ?? shown;
  return (
    <section aria-label={words.time.page} aria-busy={now === undefined} class={isPresent ? undefined : "past"}>
      {state && (
        <>
          <Tallest>
            <EntityHead entity={state} isPast={!isPresent}>
              {!isPresent && (
                <button type="button" class="button small" onClick={() => choose({ at: undefined })}>
                  {words.entity.presentLink}
                </button>
              )}
            </EntityHead>
          </Tallest>
          {!isPresent && namesOthers(state) && <p class="muted">{words.time.othersThen}</p>}
          {state.kind === "plan" ? (
            <PlanBody entity={state} present={isPresent} />
          ) : (
            <EntityBody entity={state} present={isPresent} />
          )}
        </>
      )}
      {!state && <When held={held}>{() => null}</When>}
    </section>
  );
}

/** A reader might take it for blocked or free by tasks of which its log does not tell. */
function namesOthers({ kind: what, depends_on }: EntityAnswer): boolean {
  return what === "plan" || depends_on.length > 0;
}
