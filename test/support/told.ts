import type { OpPosition } from "../../src/log/ancestry.ts";
import type { ReplayOptions } from "../../src/log/replay.ts";
import { Replay } from "../../src/log/replay.ts";
import type { LogReport } from "../../src/log/report.ts";
import { bytesSource } from "../../src/log/source.ts";
import type { Op } from "../../src/log/types.ts";

/** A replay whose sink notes what it is told, with each op's ancestors as the place gives them. */
export class Told {
  readonly replay: Replay;
  ops: Op[] = [];
  joined: boolean[] = [];
  forked: boolean[] = [];
  resets = 0;
  #ancestry: OpPosition["ancestry"] = null;

  constructor(options: ReplayOptions = {}) {
    this.replay = new Replay(
      {
        reset: () => {
          this.resets++;
          this.ops = [];
          this.joined = [];
          this.forked = [];
        },
        op: (op, place) => {
          this.ops.push(op);
          this.joined.push(place.joined);
          this.forked.push(place.ancestry !== null);
          this.#ancestry = place.ancestry;
        },
      },
      options,
    );
  }

  get report(): LogReport {
    return this.replay.report;
  }

  get order(): string[] {
    return this.ops.map((op) => op.hash);
  }

  load(bytes: Buffer): this {
    this.replay.load(bytesSource(bytes));
    return this;
  }

  follow(bytes: Buffer): boolean {
    return this.replay.follow(bytesSource(bytes));
  }

  isAncestor(a: number, b: number): boolean {
    return this.#ancestry?.isAncestor(a, b) ?? a < b;
  }
}

/** Loads a log and notes what is told. */
export function told(bytes: Buffer, options: ReplayOptions = {}): Told {
  return new Told(options).load(bytes);
}
