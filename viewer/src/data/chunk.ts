/** Chunks that few readers need at once: each a classic script that registers one module (build.mjs). */
import { useEffect, useState } from "preact/hooks";
import { useStore } from "../store.ts";
import { liveState } from "./live.ts";
import { loadScript } from "./load_script.ts";
import { NO_ACCESS, Refusal, refusalOf } from "./source.ts";

export interface Chunks {
  agents: typeof import("../pages/agents.tsx");
  health: typeof import("../pages/health.tsx");
  time: typeof import("../pages/time.tsx");
  chinese: typeof import("../text/zh.ts");
  markdown: typeof import("../lazy/markdown.ts");
  graph: typeof import("../lazy/graph.ts");
}

/** Undefined until its script is there. */
declare const taskfoldModule: (name: string) => unknown;
const asked = new Map<keyof Chunks, Promise<void>>();

function heldChunk<K extends keyof Chunks>(name: K): Chunks[K] | undefined {
  return taskfoldModule(fileOf(name)) as Chunks[K] | undefined;
}

function fileOf(name: keyof Chunks): string {
  return `./${name}.js`;
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
  // One place may ask for one chunk after another.
  const [, setLoaded] = useState(0);
  const chunk = name === null ? undefined : heldChunk(name);
  const state = useStore(liveState);
  // A server that answers again may have it.
  useEffect(() => setRefusal(undefined), [state]);
  // A script says nothing of why it did not come.
  const isRefused = state === "refused" && name !== null && chunk === undefined;
  useEffect(() => {
    if (name === null || heldChunk(name) || refusal || isRefused) return;
    const loading = asked.get(name) ?? loadScript(fileOf(name));
    asked.set(name, loading);
    loading.then(
      () => setLoaded((n) => n + 1),
      (error: unknown) => {
        asked.delete(name);
        setRefusal(refusalOf(error));
      },
    );
  }, [name, refusal, isRefused]);
  return { chunk, refusal: isRefused ? new Refusal(NO_ACCESS, name) : refusal, again: () => setRefusal(undefined) };
}
