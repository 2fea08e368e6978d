/** Work that no call waits for, such as on a timer. */
import type { Warning } from "../../errors.ts";
import type { EngineContext } from "./context.ts";

/** Begins it at once. If it throws anything, the next call warns of that, and the process of the host goes on. */
export function unwaited(
  { notices }: Pick<EngineContext, "notices">,
  code: Warning["code"],
  work: () => Promise<unknown> | void,
): void {
  (async () => work())().catch((e: unknown) => {
    notices.push({ code, message: e instanceof Error ? e.message : String(e) });
  });
}
