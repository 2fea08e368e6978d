/** An open workspace, as its groups of methods share it. */
import { relative, resolve } from "node:path";
import type { Disk } from "../../disk.ts";
import { TaskfoldError } from "../../errors.ts";
import { storageError } from "../../files/storage_error.ts";
import type { PacketConfig, PacketConfigs } from "../../state/packet_config.ts";
import { mustBeText } from "../core/input/must_be_text.ts";
import type { Engine } from "../engine.ts";
import { checkAccepted } from "../entity/binding.ts";
import { isFromSystem } from "../entity/reply.ts";
import { ownPacketConfig } from "../projection/packet_config_folder.ts";
import type { Beside, Shared } from "../shared/shared_machine.ts";
import type { ReaderOptions } from "../workspace_options.ts";

export class OpenWorkspace {
  readonly engine: Engine;
  readonly root: string;
  readonly by: string;
  #closed = false;

  constructor(engine: Engine, root: string, by: string) {
    this.engine = engine;
    this.root = root;
    this.by = by;
  }

  /** Id this root is bound to; undefined before its first write. */
  get id(): string | undefined {
    this.engine.root.look();
    return this.engine.binding?.workspace;
  }

  /** False where it was closed before. */
  close(): boolean {
    const wasOpen = !this.#closed;
    this.#closed = true;
    return wasOpen;
  }

  /** CLOSED, INVALID_INPUT for an id that is no text, WORKSPACE_MISMATCH where the root is bound to another id than the opening named. */
  check(...ids: unknown[]): void {
    this.checkNotClosed();
    for (const id of ids) mustBeText("id", id);
    const { root } = this.engine;
    if (root.configured === undefined) return;
    root.look();
    checkAccepted(root.accepted, root.configured);
  }

  /** Enough for a call of a tool: the engine looks at the binding for each. */
  checkNotClosed(): void {
    if (this.#closed)
      throw new TaskfoldError("CLOSED", "Expected an open workspace, found one that was closed.", {
        recovery: "Open it again with openWorkspace.",
      });
  }

  /** Work that writes logs by itself: a shared log gets what it wrote. */
  async beside<T>(kind: Beside, work: () => Promise<T>): Promise<Shared<T>> {
    const { machine, root } = this.engine;
    const workspace = this.id ?? root.configured;
    if (!machine || workspace === undefined) return { result: await work(), warning: undefined };
    return machine.beside(workspace, kind, work);
  }

  /** Work whose changes are decided as those of tools. */
  async called<T>(work: () => Promise<T>): Promise<T> {
    return (await this.beside("calls", work)).result;
  }
}

/** The configuration that the opening gave, and that of the folder below the root. */
export function packetConfigsOf(
  { packet, root }: Pick<ReaderOptions, "packet" | "root">,
  open: () => { disk: Disk; root: string },
): PacketConfigs {
  return {
    given: packet ? fromRoot(packet, resolve(root)) : undefined,
    own: () => {
      const { disk, root: folder } = open();
      return coded("read the configuration of packets", () => ownPacketConfig(disk, folder));
    },
  };
}

/** No path of this machine reaches a log. */
function fromRoot({ folder, ...config }: PacketConfig, root: string): PacketConfig {
  return folder === undefined ? config : { ...config, folder: relative(root, folder) || "." };
}

/** Errors of the system leave a method as a TaskfoldError, as they leave `call` in a reply. */
export function coded<T>(doing: string, work: () => T): T {
  try {
    return work();
  } catch (e) {
    throw isFromSystem(e) ? storageError(e, doing) : e;
  }
}

export async function codedLater<T>(doing: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (e) {
    throw isFromSystem(e) ? storageError(e, doing) : e;
  }
}
