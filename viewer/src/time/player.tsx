import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { choose } from "../address.ts";
import { answerOf } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { Icon } from "../parts/icon.tsx";
import type { IconName } from "../parts/icon.tsx";
import { useWords } from "../text/words.ts";

interface PlayerProps {
  id: string;
  first: number;
  last: number;
  at: number;
}

const SPEEDS = [0.5, 1, 2, 4];

/** The slider over revisions, with the keys of a player. */
export function Player({ id, first, last, at }: PlayerProps): JSX.Element {
  const { time } = useWords();
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const goTo = (revision: number): void => choose({ at: String(Math.min(last, Math.max(first, revision))) }, true);

  useEffect(() => {
    if (!playing) return;
    if (at >= last) {
      setPlaying(false);
      return;
    }
    let left = false;
    const wait = new Promise((resolve) => setTimeout(resolve, 900 / speed));
    // The next state is there before it is shown, so that each one is seen for as long as the speed says.
    const ready = answerOf(names.revision(id, at + 1)).catch(() => undefined);
    void Promise.all([wait, ready]).then(() => !left && goTo(at + 1));
    return () => void (left = true);
  }, [playing, at, last, speed, id]);

  const toggle = (): void => {
    if (!playing && at >= last) goTo(first);
    setPlaying(!playing);
  };
  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const action = { "[": () => goTo(at - 1), "]": () => goTo(at + 1), k: toggle }[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  });

  return (
    <div class="player panel" role="group" aria-label={time.slider}>
      <Control icon="first" label={time.first} off={at <= first} act={() => goTo(first)} />
      <Control icon="back" label={time.previous} off={at <= first} act={() => goTo(at - 1)} />
      <button type="button" class="button primary" onClick={toggle} aria-pressed={playing} disabled={first === last}>
        <Icon name={playing ? "pause" : "play"} />
        {playing ? time.pause : time.play}
      </button>
      <Control icon="chevron" label={time.next} off={at >= last} act={() => goTo(at + 1)} />
      <Control icon="last" label={time.last} off={at >= last} act={() => goTo(last)} />
      <input
        id="time-slider"
        type="range"
        min={first}
        max={last}
        value={at}
        aria-label={time.slider}
        aria-valuetext={time.of(at, last)}
        disabled={first === last}
        onInput={(event) => goTo(Number(event.currentTarget.value))}
      />
      <output for="time-slider">{time.of(at, last)}</output>
      <label class="field">
        <span>{time.speed}</span>
        <select value={speed} onChange={(event) => setSpeed(Number(event.currentTarget.value))}>
          {SPEEDS.map((one) => (
            <option key={one} value={one}>
              {one}×
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.matches("input:not([type=range]), textarea, select") || target.isContentEditable)
  );
}

function Control({
  icon,
  label,
  off,
  act,
}: {
  icon: IconName;
  label: string;
  off: boolean;
  act: () => void;
}): JSX.Element {
  return (
    <button type="button" class="button icon-only" aria-label={label} title={label} disabled={off} onClick={act}>
      <Icon name={icon} />
    </button>
  );
}
