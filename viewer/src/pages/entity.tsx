import type { JSX } from "preact";
import { hrefOf } from "../address.ts";
import { askAgain, useAnswer } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { EntityBody } from "../entity/entity_body.tsx";
import { EntityHead } from "../entity/entity_head.tsx";
import { Icon } from "../parts/icon.tsx";
import { When } from "../parts/states.tsx";
import { useWords } from "../text/words.ts";
import { PlanBody } from "../entity/plan_body.tsx";

export function EntityPage({ id }: { id: string }): JSX.Element {
  const words = useWords();
  const name = names.entity(id);
  const held = useAnswer(name);
  return (
    <When held={held} title={id} again={() => askAgain(name)}>
      {(entity) => (
        <div class="page">
          <EntityHead entity={entity}>
            {entity.source === "log" && (
              <a class="button small" href={hrefOf("time", id)}>
                <Icon name="clock" />
                {words.entity.timeLink}
              </a>
            )}
          </EntityHead>
          {entity.kind === "plan" ? <PlanBody entity={entity} present /> : <EntityBody entity={entity} present />}
        </div>
      )}
    </When>
  );
}
