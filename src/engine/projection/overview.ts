/**
 * The overview of the workspace (PROJ-64 and PROJ-66): on where the file stands, which `init` puts there when it is asked to. `rebuild` and
 * `resolve` write it anew; a change of an entity never does, or each would touch a file that all branches share.
 */
import { join } from "node:path";
import type { Warning } from "../../errors.ts";
import { TaskfoldError } from "../../errors.ts";
import { readCache, writeAtomic } from "../../files/atomic.ts";
import { addOverviewAttributes } from "../../files/committed.ts";
import { storageError } from "../../files/storage_error.ts";
import { overview, readOverview, RENDERER } from "../../projections/index.ts";
import type { Listed } from "../../state/listed.ts";
import type { ReadModel } from "../entities/read_model.ts";
import type { Finding } from "../core/finding.ts";
import { note, wholeFile } from "../core/finding.ts";
import { quarantine } from "../core/quarantine.ts";
import type { EngineContext } from "../core/context.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

/** Relative to the root. */
export const OVERVIEW = ".coco/README.md";

/** A longer one is none of ours. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Whether the overview stands, and not a file of people's own. */
export function isOverviewOn(context: Pick<EngineContext, "disk" | "layout">): boolean {
  return overviewThere(context) !== undefined;
}

/** INVALID_INPUT where something else has the overview's name: it is left to the people who put it there. */
export function checkOverviewFits(context: EngineContext): void {
  const kind = context.disk.lstat(join(context.layout.root, OVERVIEW))?.kind;
  if (kind === undefined || isOverviewOn(context)) return;
  throw new TaskfoldError("INVALID_INPUT", `Expected no ${OVERVIEW}, or the overview; found another ${kind}.`, {
    recovery: "Move it elsewhere, then call init with overview again.",
  });
}

/** Writes the overview where there is none yet. */
export function switchOverviewOn(engine: Pick<ReadModel, "context" | "listing">, workspace: string): void {
  const { disk, layout } = engine.context;
  addOverviewAttributes(disk, layout);
  if (isOverviewOn(engine.context)) return;
  const { text, hidden } = expected(engine, workspace);
  if (hidden)
    throw new TaskfoldError("NOT_CHECKED_OUT", `Expected every plan and task for the overview. ${hidden.message}`, {
      recovery: hidden.recovery ?? "Check all of it out, then call init with overview again.",
    });
  writeAtomic(disk, join(layout.root, OVERVIEW), text);
}

/** Writes the overview anew where it is on and differs. Never throws for what the disk says: that is a finding. */
export function refreshOverview(
  engine: Pick<ReadModel, "context" | "listing">,
  workspace: string,
): { written: boolean; findings: Finding[] } {
  const { context } = engine;
  const found = overviewThere(context);
  if (!found || found.renderer > RENDERER) return { written: false, findings: [] };
  const { text, hidden } = expected(engine, workspace);
  // It is committed: what this machine leaves out stays in it.
  if (hidden) return { written: false, findings: [] };
  if (found.bytes.equals(Buffer.from(text))) return { written: false, findings: [] };
  try {
    if (!found.intact) quarantine(context, "overview-README.md", found.bytes);
    writeAtomic(context.disk, join(context.layout.root, OVERVIEW), text);
  } catch (e) {
    const { message } = storageError(e, `write ${OVERVIEW}`);
    return { written: false, findings: [wholeFile("REBUILD_FAILED", OVERVIEW, message)] };
  }
  const edited = "The overview was edited; the old text is kept in .coco/registry/quarantine.";
  return { written: true, findings: found.intact ? [] : [note(wholeFile("PROJECTION_DRIFT", OVERVIEW, edited))] };
}

/** Whether the overview stands as the logs say now. */
export function isOverview(engine: Pick<ReadModel, "context" | "listing">, workspace: string): boolean {
  return overviewThere(engine.context)?.bytes.equals(Buffer.from(expected(engine, workspace).text)) === true;
}

/**
 * Returns verify's findings on the overview, by what it read of every log: it may always be behind, so nothing of it is
 * a fault.
 */
export function overviewFindings(context: EngineContext, listed: readonly Listed[]): Finding[] {
  const found = overviewThere(context);
  if (!found || found.renderer > RENDERER || found.bytes.equals(Buffer.from(overview(listed)))) return [];
  const message = found.intact
    ? "The overview is behind the logs."
    : "The overview was changed by hand, which is kept aside when it is written anew.";
  return [note(wholeFile("OVERVIEW_STALE", OVERVIEW, message, remedy`${TASKFOLD} rebuild writes it anew.`))];
}

function overviewThere({
  disk,
  layout,
}: Pick<EngineContext, "disk" | "layout">): { bytes: Buffer; renderer: number; intact: boolean } | undefined {
  const bytes = readCache(disk, join(layout.root, OVERVIEW), MAX_BYTES);
  const seal = bytes && readOverview(bytes.toString("utf8"));
  return seal && { bytes, ...seal };
}

function expected(
  { listing }: Pick<ReadModel, "context" | "listing">,
  workspace: string,
): { text: string; hidden: Warning | undefined } {
  const { rows, warnings } = listing.rows(workspace);
  return { text: overview(rows), hidden: warnings.find(({ code }) => code === "NOT_CHECKED_OUT") };
}
