/** `shared` of a workspace: the log that it shares with other machines. */
import { TaskfoldError } from "../../errors.ts";
import type { SharedAccess } from "../shared/shared_access.ts";
import { sharedAccess } from "../shared/shared_access.ts";
import type { OpenWorkspace } from "./open.ts";

/** Each method rejects with INVALID_INPUT where the workspace was opened without a shared log. */
export function sharedOf(open: OpenWorkspace): SharedAccess {
  const access = (): SharedAccess => {
    open.check();
    const { machine, root } = open.engine;
    if (machine) return sharedAccess(machine, () => open.id ?? root.configured);
    throw new TaskfoldError("INVALID_INPUT", "Expected a workspace that was opened with `shared`, found one without.", {
      recovery: 'openWorkspace({ root, shared: jetstream({ servers: "nats://127.0.0.1:4222" }) })',
    });
  };
  return {
    init: async (id) => access().init(id),
    status: async (id) => access().status(id),
    sync: async (id, options) => access().sync(id, options),
    fetch: async (id) => access().fetch(id),
    catchUp: async (id) => access().catchUp(id),
    verify: async (id, options) => access().verify(id, options),
    leave: async () => access().leave(),
  };
}
