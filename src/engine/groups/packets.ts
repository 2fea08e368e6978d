/** `packets` of a workspace: packets that come from other programs, and go to them. */
import type { ExportPacketReport } from "../adoption/export_packet.ts";
import { exportPacket, exportReview } from "../adoption/export_packet.ts";
import type { ImportPacketReport } from "../adoption/import_packet.ts";
import { importPacket } from "../adoption/import_packet.ts";
import { checkBy } from "../core/input/check_by.ts";
import { mustBeText } from "../core/input/must_be_text.ts";
import type { OpenWorkspace } from "./open.ts";
import { coded, codedLater } from "./open.ts";

export class WorkspacePackets {
  readonly #open: OpenWorkspace;

  /** @internal */
  constructor(open: OpenWorkspace) {
    this.#open = open;
  }

  /**
   * Takes in the folder of a packet that another program made (a new task by its `task_id`). In the folder of a packet
   * of this workspace it takes in changes by hand: markers, stats, inputs, manifest. One change; a relative `dir`
   * starts at `from` (default: the root), and messages name it as it was given. A root that is not bound yet is bound
   * to `workspace`.
   */
  async import(
    dir: string,
    { by = this.#open.by, from = this.#open.root, workspace }: { by?: string; from?: string; workspace?: string } = {},
  ): Promise<ImportPacketReport> {
    this.#open.check();
    mustBeText("dir", dir);
    checkBy(by);
    const work = () => importPacket(this.#open.engine, { dir, from }, { by }, workspace);
    return codedLater("take in the folder of the packet", this.#open.called(work));
  }

  /**
   * Writes a packet, live or archived, as a folder that another program can go on with. A relative `dir` starts at `from` (default: the
   * root); `dir` is not there yet or empty (INVALID_INPUT).
   */
  export(id: string, dir: string, { from = this.#open.root }: { from?: string } = {}): ExportPacketReport {
    this.#open.check(id);
    mustBeText("dir", dir);
    return coded("write the packet", () => exportPacket(this.#open.engine, id, dir, from));
  }

  /** Writes the six artifacts of a review after the implementation, as far as its stages left them, and the summary. */
  exportReview(id: string, dir: string, { from = this.#open.root }: { from?: string } = {}): ExportPacketReport {
    this.#open.check(id);
    mustBeText("dir", dir);
    return coded("write the review", () => exportReview(this.#open.engine, id, dir, from));
  }
}
