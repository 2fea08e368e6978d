/** The trackers that `taskfold import` reads, by the names that it takes. */
import type { Tracker } from "./item.ts";

export const SOURCES = ["backlog", "beads", "taskwarrior", "taskmaster", "markdown", "github"] as const;
export type Source = (typeof SOURCES)[number];

const LOAD: Record<Source, () => Promise<Tracker>> = {
  backlog: async () => (await import("./backlog.ts")).backlog,
  beads: async () => (await import("./beads.ts")).beads,
  taskwarrior: async () => (await import("./taskwarrior.ts")).taskwarrior,
  taskmaster: async () => (await import("./taskmaster.ts")).taskmaster,
  markdown: async () => (await import("./markdown.ts")).markdown,
  github: async () => (await import("./github.ts")).github,
};

export function trackerOf(source: Source): Promise<Tracker> {
  return LOAD[source]();
}
