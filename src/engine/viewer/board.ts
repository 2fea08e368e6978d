/** The board at this moment: what the rows and the last checks of all folders say together. */
import type { BoardRow } from "../../views/viewer/api.ts";
import { isoTime } from "../core/context.ts";
import type { EngineContext } from "../core/context.ts";
import type { Checks } from "./checks.ts";
import type { BoardRows } from "./rows.ts";

export class Board {
  readonly rows: BoardRows;
  readonly checks: Checks;
  readonly #context: Pick<EngineContext, "now">;
  #made: { sign: string; rows: readonly BoardRow[] } | undefined;

  constructor(context: Pick<EngineContext, "now">, rows: BoardRows, checks: Checks) {
    this.#context = context;
    this.rows = rows;
    this.checks = checks;
  }

  get now(): string {
    return isoTime(this.#context.now());
  }

  /** The same array as long as nothing of it is another: each page of a board asks for all of them. */
  all(now: string): readonly BoardRow[] {
    const sign = this.sign(now);
    if (this.#made?.sign !== sign) this.#made = { sign, rows: this.rows.rows(now, this.checks.of) };
    return this.#made.rows;
  }

  row(id: string, now: string): BoardRow | undefined {
    return this.rows.row(id, now, this.checks.of);
  }

  /** Whether every folder was checked since it changed. */
  get isChecked(): boolean {
    return this.checks.progress.checked === this.rows.folders.size;
  }

  /** Another one if any row or finding is another. */
  sign(now: string): string {
    return `${this.presentSign(now)} ${this.checks.sign} ${this.checks.progress.checked}`;
  }

  /** Another one if any row is another, findings aside. */
  presentSign(now: string): string {
    return `${this.rows.stamp} ${this.rows.over(now)} ${this.rows.lost().join()}`;
  }
}
