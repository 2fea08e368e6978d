/** Reading commands that are called without options need no parser: to load it costs a tenth of their start. */
import type { CliResult } from "./cli_result.ts";
import type { Session } from "./session.ts";

interface Plain {
  name: string;
  run: (session: Session) => Promise<CliResult>;
}

/** Undefined where there is anything to parse but a command, the id that it may have, and `--json`. */
export function plainCommand(argv: readonly string[]): Plain | undefined {
  const [name, id, ...more] = argv.filter((word) => word !== "--json");
  if (more.length > 0 || id?.startsWith("-")) return undefined;
  switch (name) {
    case "radar":
      return { name, run: async (session) => (await import("./radar.ts")).radar(session, session.meant(id), {}) };
    case "handoff":
      return { name, run: async (session) => (await import("./handoff.ts")).handoff(session, session.meant(id), {}) };
    case "show":
      return { name, run: async (session) => (await import("./show.ts")).show(session, session.meant(id)) };
    default:
      return id === undefined ? withoutId(name) : undefined;
  }
}

function withoutId(name: string | undefined): Plain | undefined {
  switch (name) {
    case "list":
    case "ls":
      return { name: "list", run: async (session) => (await import("./list.ts")).list(session) };
    case "ready":
      return { name, run: async (session) => (await import("./work.ts")).ready(session, {}) };
    case "status":
      return { name, run: async (session) => (await import("./work.ts")).status(session, {}) };
    case "board":
      return { name, run: async (session) => (await import("./board.ts")).board(session, {}) };
    case "prime":
      return { name, run: async (session) => (await import("./prime.ts")).prime(session, {}) };
    case "whoami":
      return { name, run: async (session) => (await import("./work.ts")).whoami(session) };
    default:
      return undefined;
  }
}
