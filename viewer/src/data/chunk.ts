/** Chunks of the page that few readers need: each a classic script that leaves one global value. */
import { useEffect, useState } from "preact/hooks";
import type { ChineseChunk } from "../lazy/chinese.ts";
import type { GraphChunk } from "../lazy/graph.ts";
import type { MarkdownChunk } from "../lazy/markdown.ts";
import { loadScript } from "./load_script.ts";
import type { Refusal } from "./source.ts";
import { refusalOf } from "./source.ts";

interface Chunks {
  chinese: ChineseChunk;
  markdown: MarkdownChunk;
  graph: GraphChunk;
}

const GLOBALS = { chinese: "taskfoldChinese", markdown: "taskfoldMarkdown", graph: "taskfoldGraph" } as const;
const asked = new Map<keyof Chunks, Promise<void>>();

function heldChunk<K extends keyof Chunks>(name: K): Chunks[K] | undefined {
  return (globalThis as Record<string, unknown>)[GLOBALS[name]] as Chunks[K] | undefined;
}

export interface ChunkState<C> {
  /** Undefined until it is there. A document that holds everything has it from the start. */
  chunk: C | undefined;
  /** Why it is not there. */
  refusal: Refusal | undefined;
  again: () => void;
}

/** `null` asks for nothing. */
export function useChunk<K extends keyof Chunks>(name: K | null): ChunkState<Chunks[K]> {
  const [refusal, setRefusal] = useState<Refusal>();
  const [, setLoaded] = useState(false);
  const chunk = name === null ? undefined : heldChunk(name);
  useEffect(() => {
    if (name === null || heldChunk(name) || refusal) return;
    const loading = asked.get(name) ?? loadScript(`./${name}.js`);
    asked.set(name, loading);
    loading.then(
      () => setLoaded(true),
      (error: unknown) => {
        asked.delete(name);
        setRefusal(refusalOf(error));
      },
    );
  }, [name, refusal]);
  return { chunk, refusal, again: () => setRefusal(undefined) };
}
