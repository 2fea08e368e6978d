import type { JSX } from "preact";
import type { EntityAnswer, Sentence as OfEngine } from "../../../src/views/viewer/api.ts";
import { Icon } from "../parts/icon.tsx";
import type { IconName } from "../parts/icon.tsx";
import { Sentence } from "../parts/local_times.tsx";
import type { Words } from "../text/en.ts";
import { useWords } from "../text/words.ts";
import { excerpt } from "./excerpt.ts";

/** The screen that an agent resumes from, as a person reads it: the head of the page names the task already. */
export function Radar({ entity }: { entity: EntityAnswer }): JSX.Element {
  const words = useWords();
  const { entity: text } = words;
  const { radar } = entity;
  const why = whyOf(entity);
  return (
    <section class="panel radar" aria-labelledby="radar-title">
      <h2 id="radar-title">{text.radar}</h2>
      <RadarPart icon="play" label={text.next} lines={nextOf(entity, words)} />
      <RadarPart icon="check" label={text.verify} lines={radar.verify} />
      <RadarPart icon="blocked" label={text.blockers} lines={radar.blockers} alert />
      <RadarPart icon="note" label={text.why} lines={why ? [why] : []} />
    </section>
  );
}

/** Work goes on in no folder that is put away, and in none that another program keeps. */
function nextOf(
  { id, archived, deleted, source, radar }: EntityAnswer,
  { entity }: Words,
): readonly (string | OfEngine)[] {
  if (deleted || archived) return [deleted ? entity.deleted : entity.archived];
  return source === "coco" ? [entity.adopt(id)] : radar.next;
}

/** Description and context stand on the page as they are. */
function whyOf({ description, context, plan }: EntityAnswer): string {
  return description || context ? "" : excerpt(plan?.contract ?? "");
}

interface PartProps {
  icon: IconName;
  label: string;
  /** A text is one of the task itself or of the page. */
  lines: readonly (string | OfEngine)[];
  alert?: boolean;
}

function RadarPart({ icon, label, lines, alert }: PartProps): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <div class={alert ? "radar-part alert" : "radar-part"}>
      <h3>
        <Icon name={icon} />
        {label}
      </h3>
      <ul class="bare">
        {lines.map((line, index) => (
          <li key={index}>{typeof line === "string" ? line : <Sentence of={line} />}</li>
        ))}
      </ul>
    </div>
  );
}
