/** Chunks of the page that few readers need: each a classic script that leaves one global value. */
import { useEffect, useState } from "preact/hooks";
import type { GraphChunk } from "../lazy/graph.ts";
import type { MarkdownChunk } from "../lazy/markdown.ts";
import { loadScript } from "./load_script.ts";

interface Chunks {
  markdown: MarkdownChunk;
  graph: GraphChunk;
}

const GLOBALS = { markdown: "taskfoldMarkdown", graph: "taskfoldGraph" } as const;
const asked = new Map<keyof Chunks, Promise<void>>();

function heldChunk<K extends keyof Chunks>(name: K): Chunks[K] | undefined {
  return (globalThis as Record<string, unknown>)[GLOBALS[name]] as Chunks[K] | undefined;
}

/** The chunk, or undefined until it is there. A document that holds everything has it from the start. */
export function useChunk<K extends keyof Chunks>(name: K): Chunks[K] | undefined {
  const [, setLoaded] = useState(false);
  const chunk = heldChunk(name);
  useEffect(() => {
    if (heldChunk(name)) return;
    const loading = asked.get(name) ?? loadScript(`./${name}.js`);
    asked.set(name, loading);
    loading.then(
      () => setLoaded(true),
      // The text stands on the page as it is; the next part that needs the chunk asks again.
      () => asked.delete(name),
    );
  }, [name]);
  return chunk;
}
