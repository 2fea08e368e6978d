import type { JSX } from "preact";
import type { EntityAnswer } from "../../../src/views/viewer/api.ts";
import { Icon } from "../parts/icon.tsx";
import type { IconName } from "../parts/icon.tsx";
import { Sentence } from "../parts/local_times.tsx";
import { useWords } from "../text/words.ts";

/** The screen that an agent resumes from, as a person reads it. */
export function Radar({ radar }: { radar: EntityAnswer["radar"] }): JSX.Element {
  const { entity } = useWords();
  return (
    <section class="panel radar" aria-labelledby="radar-title">
      <h2 id="radar-title">{entity.radar}</h2>
      <RadarPart icon="ready" label={entity.now} lines={[radar.now]} />
      <RadarPart icon="play" label={entity.next} lines={radar.next} />
      <RadarPart icon="check" label={entity.verify} lines={radar.verify} />
      <RadarPart icon="blocked" label={entity.blockers} lines={radar.blockers} alert />
      <RadarPart icon="note" label={entity.why} lines={radar.why ? [radar.why] : []} isText />
    </section>
  );
}

interface PartProps {
  icon: IconName;
  label: string;
  lines: readonly string[];
  alert?: boolean;
  /** Of the task itself, and no sentence of the engine. */
  isText?: boolean;
}

function RadarPart({ icon, label, lines, alert, isText }: PartProps): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <div class={alert ? "radar-part alert" : "radar-part"}>
      <h3>
        <Icon name={icon} />
        {label}
      </h3>
      <ul class="bare">
        {lines.map((line, index) => (
          <li key={index}>{isText ? line : <Sentence text={line} />}</li>
        ))}
      </ul>
    </div>
  );
}
