import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Kind } from "../../../src/views/viewer/api.ts";
import { address, hrefOf, replace } from "../address.ts";
import { askAgain, useAnswer } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { EntityBody } from "../entity/entity_body.tsx";
import { EntityHead } from "../entity/entity_head.tsx";
import { Icon } from "../parts/icon.tsx";
import { When } from "../parts/states.tsx";
import { useStore } from "../store.ts";
import { localDay } from "../text/format.ts";
import { useWords } from "../text/words.ts";
import { PlanBody, PlanSignals } from "../entity/plan_body.tsx";

export function EntityPage({ id }: { id: string }): JSX.Element {
  const words = useWords();
  const name = names.entity(id);
  const held = useAnswer(name);
  return (
    <When held={held} title={id} again={() => askAgain(name)}>
      {(entity) => (
        <div class="page">
          <PlaceOf kind={entity.kind} />
          <EntityHead entity={entity}>
            {entity.source === "log" && (
              <>
                <a class="button small" href={hrefOf("time", id)}>
                  <Icon name="clock" />
                  {words.entity.timeLink}
                </a>
                <a class="button small" href={hrefOf("time", id, { from: yesterday() })}>
                  {words.entity.sinceYesterday}
                </a>
              </>
            )}
          </EntityHead>
          {entity.kind === "plan" && <PlanSignals id={id} />}
          {entity.kind === "plan" ? <PlanBody entity={entity} present /> : <EntityBody entity={entity} present />}
        </div>
      )}
    </When>
  );
}

/** A day of the reader. The day before is a date less: a day of the calendar may be longer or shorter than 24 hours. */
function yesterday(): string {
  const now = new Date();
  return localDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1).toISOString());
}

/** A link may lead to a plan as to a task: its address is that of a plan, and the navigation marks it there. */
function PlaceOf({ kind }: { kind: Kind }): null {
  const { page, id, query } = useStore(address);
  useEffect(() => {
    if ((page === "task" || page === "plan") && page !== kind) replace(hrefOf(kind, id, query));
  }, [page, kind]);
  return null;
}
