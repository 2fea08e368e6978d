/** The shared log as programs see it. */
import { withStorageErrors } from "../../files/storage_error.ts";
import { TaskfoldError } from "../../errors.ts";
import { checkWorkspaceId } from "../entity/binding.ts";

export interface SharedStatus {
  /** Where the shared log is. */
  address: string;
  mode: "strict" | "merge";
  /** Number of the last message that is stored there. */
  last: number;
  /** Number of the last message that is in the logs of this machine. */
  taken_in: number;
  /** Ids of plans and tasks that do not end here as they do there. */
  lacking: string[];
  /** In mode merge, why the servers cannot be asked at this moment: `last` is then what this machine knows. Else null. */
  trouble: { code: string; message: string } | null;
  /** Left out unless the sync was asked for captured bytes. */
  blobs?: SharedExchanged;
}

/** A difference between the shared log and the logs of this machine. */
export interface SharedFinding {
  code: "LOG_LACKS" | "SHARED_LACKS" | "MESSAGE_FOREIGN" | "BYTES_LACKING" | "COPY_DIFFERS";
  /** The plan or task; null for a message that is about none, and for servers that differ. */
  id: string | null;
  message: string;
}

export interface SharedComparison {
  messages: number;
  entities: number;
  /** How many files that events name were looked for in the object store. */
  files: number;
  /** How many of them were put there. */
  restored: number;
  findings: SharedFinding[];
}

export interface CompareOptions {
  /** Puts files into the object store that it lacks, or has with other bytes, as far as this machine has them. */
  restore?: boolean;
}

export interface SyncOptions {
  /** Fetches what events name and this machine lacks, and publishes such bytes that the shared log lacks. */
  blobs?: "all";
}

export interface SharedFetched {
  /** How many files came to this machine. */
  fetched: number;
  /** Files that the shared log lacks, too, or has with other bytes. */
  lacking: { id: string; path: string }[];
}

export interface SharedExchanged extends SharedFetched {
  /** How many files the shared log lacked and has now. */
  published: number;
}

export interface SharedAccess {
  /** Makes the shared log where there is none, and publishes what it lacks. `workspace`: for a root that is not bound yet. */
  init: (workspace?: string) => Promise<SharedStatus>;
  status: (workspace?: string) => Promise<SharedStatus>;
  /** Applies what is new there, and publishes what is new here: what git brought, for instance. */
  sync: (workspace?: string, options?: SyncOptions) => Promise<SharedStatus>;
  /** Fetches captured output and files of packets that the logs name and this machine lacks, of one plan or task or of all. */
  fetch: (id?: string) => Promise<SharedFetched>;
  /** Applies what is new there. False where no server answers. */
  catchUp: (workspace?: string) => Promise<boolean>;
  /**
   * Compares every message with the logs of this machine, and reads every file of the object store that they name. Changes no plan or
   * task.
   */
  verify: (workspace?: string, options?: CompareOptions) => Promise<SharedComparison>;
  /** Forgets how far this machine is. It closes the connection: open the workspace again. */
  leave: () => Promise<void>;
}

interface SharedOperations {
  init: (workspace: string) => Promise<SharedStatus>;
  status: (workspace: string) => Promise<SharedStatus>;
  sync: (workspace: string, options?: SyncOptions) => Promise<SharedStatus>;
  fetch: (workspace: string, id?: string) => Promise<SharedFetched>;
  catchUp: (workspace: string) => Promise<boolean>;
  verify: (workspace: string, options?: CompareOptions) => Promise<SharedComparison>;
  leave: () => Promise<void>;
}

export function sharedAccess(shared: SharedOperations, bound: () => string | undefined): SharedAccess {
  const named = (id = bound()): string => {
    if (id !== undefined) {
      checkWorkspaceId(id);
      return id;
    }
    throw new TaskfoldError("NO_WORKSPACE", "Expected a root that is bound to a workspace, found none.", {
      recovery: "Name the workspace: init(workspace), or openWorkspace({ workspace }).",
    });
  };
  // An errno of the disk becomes a code of ours (SHARED-20).
  const coded = <T>(ask: () => Promise<T>): Promise<T> => withStorageErrors("use the shared log", ask);
  return {
    init: async (id) => coded(() => shared.init(named(id))),
    status: async (id) => coded(() => shared.status(named(id))),
    sync: async (id, options) => coded(() => shared.sync(named(id), options)),
    fetch: async (id) => coded(() => shared.fetch(named(), id)),
    catchUp: async (id) => coded(() => shared.catchUp(named(id))),
    verify: async (id, options) => coded(() => shared.verify(named(id), options)),
    leave: async () => coded(() => shared.leave()),
  };
}
