import type { JSX } from "preact";
import type { Chunks } from "../data/chunk.ts";
import { useChunk } from "../data/chunk.ts";
import { When } from "./states.tsx";

interface InChunkProps<K extends keyof Chunks> {
  name: K;
  children: (chunk: Chunks[K]) => JSX.Element;
}

/** A page whose code comes when a reader first goes there. */
export function InChunk<K extends keyof Chunks>({ name, children }: InChunkProps<K>): JSX.Element {
  const { chunk, refusal, again } = useChunk(name);
  return (
    <When key={name} held={{ value: chunk, refusal }} again={again}>
      {children}
    </When>
  );
}
