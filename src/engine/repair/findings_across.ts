/** Findings that no folder tells alone: one entity in two folders, transactions with missing parts, rows of the overview. */
import type { Listed } from "../../state/listed.ts";
import type { Finding } from "../core/finding.ts";
import { wholeFile } from "../core/finding.ts";
import { PARTS } from "../core/sparse_checkout.ts";
import type { Store } from "../entity/store.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { relativeFolder } from "../entity/entity_on_disk.ts";
import { overviewFindings } from "../projection/overview.ts";
import type { Verified } from "./verify_entity.ts";
import type { WithJournal } from "./verify_txn.ts";
import { TxnFindings } from "./verify_txn.ts";

export class FindingsAcross {
  readonly #roots = new Map<string, EntityLocation[]>();
  readonly #txns = new TxnFindings();
  readonly #listed: Listed[] = [];

  saw(place: EntityLocation, { root, txns, listed }: NonNullable<Verified["entity"]>): void {
    const known = this.#roots.get(root);
    if (known) known.push(place);
    else this.#roots.set(root, [place]);
    this.#txns.saw(place, txns);
    if (listed) this.#listed.push(listed);
  }

  /** One for each folder beside the first one of its entity. */
  sameRoots(): Finding[] {
    return [...this.#roots].flatMap(([root, [first, ...others]]) =>
      others.map((other) => sameRoot(root, first!, other)),
    );
  }

  /** Once every folder was seen: one entity alone does not tell what the others have. */
  ofWorkspace({ context, journal, store }: WithJournal & { readonly store: Store }): Finding[] {
    const [tasks = [], archived = []] = PARTS.map((part) => store.leftOut(part).ids);
    const overview = tasks.length === 0 ? overviewFindings(context, this.#listed) : [];
    return [...this.#txns.incomplete(journal.pending(), [...tasks, ...archived]), ...overview];
  }
}

function sameRoot(root: string, first: EntityLocation, other: EntityLocation): Finding {
  return wholeFile(
    "SAME_ROOT",
    relativeFolder(other),
    `Expected one folder for the entity ${root}, found a second; the first is ${relativeFolder(first)}.`,
  );
}
