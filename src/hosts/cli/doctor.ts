/** `taskfold doctor`: every finding of verify with what it means and what to do; `--fix` rebuilds, which keeps aside what it replaces. */
import type { Finding } from "../../engine/core/finding.ts";
import { okReply } from "../../engine/entity/reply.ts";
import { counted } from "../../state/counted.ts";
import { EXIT } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import { explanationOf, wayOut } from "../../engine/core/findings_explained.ts";
import { remedyOf } from "../../remedy.ts";
import { withCommands } from "./everyday_command.ts";
import { foundText, hasFaults } from "./text/findings_text.ts";
import type { Block } from "./text/layout.ts";
import { blocks } from "./text/layout.ts";
import type { CliResult } from "./cli_result.ts";
import { withProgress } from "./progress.ts";
import type { Session } from "./session.ts";
import { unmergedIn } from "./git/unmerged.ts";

export function doctor(
  session: Session,
  id: string | undefined,
  { fix = false }: { fix?: boolean },
): Promise<CliResult> {
  return session.within(async (workspace) => {
    const { rebuilt, attributes = false } = fix
      ? await withProgress(session, "rebuild", (progress) => workspace.repair.rebuild(id, { progress }))
      : { rebuilt: [] };
    const fixed = rebuilt.filter(({ files }) => files.length > 0).map((one) => ({ id: one.id, files: [...one.files] }));
    if (fixed.length > 0 || attributes) session.changed();
    const { ok, entities, findings } = await withProgress(session, "verify", async (progress) =>
      workspace.verify(id, { progress }),
    );
    const unmerged = unmergedIn(workspace.root, id);
    const groups = grouped([...findings, ...unmerged]);
    const result = {
      ok: ok && !hasFaults(unmerged),
      entities,
      fixed,
      attributes,
      findings: groups,
    } as unknown as JsonObject;
    const completed = attributes ? ".coco/.gitattributes: wrote the lines that were missing; commit it\n" : "";
    const human = () => ({ out: session.quiet ? "" : completed + text(groups, fixed, entities, session), err: "" });
    return {
      exit: hasFaults([...findings, ...unmerged]) ? EXIT.refused : EXIT.ok,
      json: okReply("doctor", result, [], []),
      human,
    };
  });
}

interface Group {
  code: string;
  info: boolean;
  what: string;
  why: string;
  next: string;
  places: Pick<Finding, "file" | "line" | "message" | "recovery">[];
}

/** Of each code once, faults first. */
function grouped(findings: readonly Finding[]): Group[] {
  const groups = new Map<string, Group>();
  for (const finding of findings) {
    const { code, info = false, file, line, message } = finding;
    const known = explanationOf(code);
    const unknown = { what: message, why: "see spec/repair.md", next: wayOut(code).recovery! };
    const group = groups.get(code) ?? { code, info, ...(known ?? unknown), places: [] };
    // A fault among notes of its code makes all of them a fault.
    group.info &&= info;
    group.places.push({ file, line, message, ...remedyOf(finding) });
    groups.set(code, group);
  }
  return [...groups.values()].toSorted((a, b) => Number(a.info) - Number(b.info));
}

/** Places that are shown of each code. */
const PLACES = 5;

function text(
  groups: readonly Group[],
  fixed: readonly { id: string; files: string[] }[],
  entities: number,
  session: Session,
): string {
  const { colors, columns: wide } = session;
  const repaired = fixed.map(({ id, files }) => `${id}: wrote ${files.join(", ")} anew\n`).join("");
  const faults = groups.filter(({ info }) => !info).length;
  const found = faults === 0 ? "all is well" : counted(faults, "kind of findings", "kinds of findings");
  const sum = `${counted(entities, "plan or task", "plans and tasks")}: ${found}\n`;
  return repaired + groups.map((group) => `${blocks(blockOf(group, session), colors, wide)}\n`).join("") + sum;
}

function blockOf({ code, info, what, why, places }: Group, session: Session): Block[] {
  const shown = places
    .slice(0, PLACES)
    .map(
      (place) =>
        `${place.file}${place.line === null ? "" : `:${place.line}`}: ${foundText(place, session, session.columns)}`,
    );
  const more = places.length - shown.length;
  return [
    [info ? `note ${code}` : code, what],
    ["  why", why],
    ["  next", withCommands(session, wayOut(code))],
    ["  where", more > 0 ? [...shown, `${more} more`] : shown],
  ];
}
