/** Reading commands that are called without options need no parser: to load it costs a tenth of their start. */
import type { Outcome } from "./outcome.ts";
import type { Session } from "./session.ts";

interface Plain {
  name: string;
  run: (session: Session) => Promise<Outcome>;
}

/** Undefined where there is anything to parse but a command, the id that it may have, and `--json`. */
export function plainCommand(argv: readonly string[]): Plain | undefined {
  const [name, id, ...more] = argv.filter((word) => word !== "--json");
  if (more.length > 0 || id?.startsWith("-")) return undefined;
  switch (name) {
    case "list":
      if (id !== undefined) return undefined;
      return { name, run: async (session) => (await import("./list.ts")).list(session) };
    case "radar":
      return { name, run: async (session) => (await import("./radar.ts")).radar(session, id, {}) };
    case "handoff":
      return { name, run: async (session) => (await import("./handoff.ts")).handoff(session, id, {}) };
    default:
      return undefined;
  }
}
