/** What may have changed since the last call. */
import type { World } from "./world.ts";

export class News {
  constructor(_world: World) {}

  take(): { changed: "all" | ReadonlySet<string>; as_of: number } {
    return { changed: "all", as_of: Date.now() };
  }

  looked(_startedAt: number, _ms: number, _count: number): void {}
}
