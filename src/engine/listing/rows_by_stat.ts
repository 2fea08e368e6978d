/**
 * Rows of the plans and tasks in one part of `.coco`. Each is kept by the stat of its log, so a log that is as it was costs one look.
 * The user passes in the maker of the rows: lists (listing.ts) and the board of the viewer (viewer/rows.ts) keep theirs here.
 */
import { sep } from "node:path";
import type { FileStat } from "../../disk.ts";
import { same } from "../../files/file_sign.ts";
import type { FileSign } from "../../files/file_sign.ts";
import { LOG_FILE } from "../../files/layout.ts";
import type { EngineContext } from "../core/context.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";

export interface KeptRow<Row> {
  readonly row: Row;
  /** Of the log that the row was made from. */
  readonly stat: FileSign;
}

export interface MadeRow<Row> {
  row: Row;
  /** Of the log, if it alone tells the row; undefined: the row is made again at each look. */
  stat: FileSign | undefined;
}

/** The means of a look. */
export interface Looking {
  context: Pick<EngineContext, "disk" | "layout" | "pendingLines">;
}

export interface RowMaker<Row, How extends Looking> {
  /** Makes the row of a folder. `stat` is undefined if it has no log, or not all lines of it yet; `before` is the row until now. */
  make(id: string, how: How, stat: FileStat | undefined, before: Row | undefined): MadeRow<Row> | undefined;
  /** Makes the row of a folder that no row is known of, by one opening of its log in place of the look. Undefined: `make` tells. */
  first?(id: string, how: How): MadeRow<Row> | undefined;
  /** Returns a row that stands for a folder that cannot be read. Throws any other error. */
  failed(id: string, e: unknown, before: Row | undefined): Row | undefined;
}

export class RowsByStat<Row, How extends Looking> {
  /** Rows that their logs' stats tell to be as they were, by id. */
  kept = new Map<string, KeptRow<Row>>();
  /** The other rows, as the last look made them. */
  readonly #others = new Map<string, Row>();
  readonly #part: EntityLocation["part"];
  readonly #maker: RowMaker<Row, How>;
  readonly #keeps: (id: string, row: KeptRow<Row>) => void;

  /** `keeps` is called with each row that is kept by a stat from now on. */
  constructor(
    part: EntityLocation["part"],
    maker: RowMaker<Row, How>,
    keeps: (id: string, row: KeptRow<Row>) => void = () => undefined,
  ) {
    this.#part = part;
    this.#maker = maker;
    this.#keeps = keeps;
  }

  /** The row of a folder as it is now; undefined where there is none. */
  look(id: string, how: How): Row | undefined {
    const kept = this.kept.get(id);
    const before = kept ? kept.row : this.#others.get(id);
    try {
      if (before === undefined && this.#maker.first) {
        const first = this.#maker.first(id, how);
        if (first) return this.take(id, first);
      }
      const { disk, layout, pendingLines } = how.context;
      // `join` would cost a tenth of the look that it is for.
      const folder = layout[this.#part] + sep + id;
      // The stat of a log tells nothing of the lines that it does not have yet.
      const isPending = pendingLines?.has(folder) === true;
      const stat = isPending ? undefined : disk.lstat(`${folder}${sep}${LOG_FILE}`);
      if (kept && stat && same(stat, kept.stat)) return kept.row;
      return this.take(id, this.#maker.make(id, how, stat, before));
    } catch (e) {
      const row = this.#maker.failed(id, e, before);
      return this.take(id, row === undefined ? undefined : { row, stat: undefined });
    }
  }

  /** Keeps what another look made of this folder. */
  take(id: string, made: MadeRow<Row> | undefined): Row | undefined {
    if (made?.stat) {
      const kept = { row: made.row, stat: made.stat };
      this.kept.set(id, kept);
      this.#others.delete(id);
      this.#keeps(id, kept);
      return made.row;
    }
    this.kept.delete(id);
    if (made) this.#others.set(id, made.row);
    else this.#others.delete(id);
    return made?.row;
  }

  /** The next look makes it anew. */
  forget(id: string): void {
    this.kept.delete(id);
    this.#others.delete(id);
  }

  /** These names in the order in which rows are known, others last. Rows of other names are forgotten. */
  inOrder(names: readonly string[]): string[] {
    const others = new Set(names);
    const there: string[] = [];
    for (const rows of [this.kept, this.#others])
      for (const id of rows.keys()) {
        if (others.delete(id)) there.push(id);
        else rows.delete(id);
      }
    return [...there, ...others];
  }
}
