import type { JSX } from "preact";
import { nameOf } from "../text/actor_name.ts";
import { useWords } from "../text/words.ts";
import { Icon } from "./icon.tsx";

/** An actor: a person, an agent, or the engine itself. */
export function Person({ by }: { by: string }): JSX.Element {
  const { actor } = useWords();
  const kind = by.startsWith("human:") ? "human" : by.startsWith("agent:") ? "agent" : "system";
  return (
    <span class="person" title={by}>
      <Icon name={kind} />
      <span class="visually-hidden">{actor[kind]} </span>
      <span class="person-name">{nameOf(by)}</span>
    </span>
  );
}
