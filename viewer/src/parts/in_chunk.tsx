import type { JSX } from "preact";
import type { Chunks } from "../data/chunk.ts";
import { useChunk } from "../data/chunk.ts";
import { useWords } from "../text/words.ts";
import { When } from "./states.tsx";

/** Pages whose code comes when a reader first goes there. */
type PageName = "agents" | "health" | "time";

interface InChunkProps<K extends PageName> {
  name: K;
  children: (chunk: Chunks[K]) => JSX.Element;
}

export function InChunk<K extends PageName>({ name, children }: InChunkProps<K>): JSX.Element {
  const { pages } = useWords();
  const { chunk, refusal, again } = useChunk(name);
  return (
    <When key={name} title={pages[name]} held={{ value: chunk, refusal }} again={again}>
      {children}
    </When>
  );
}
