import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { overview, readOverview, RENDERER } from "../../src/projections/index.ts";
import { STATUSES } from "../../src/state/entity.ts";
import type { Listed } from "../../src/state/listed.ts";
import { anyText } from "../support/random_story.ts";

function listed(id: string, more: Partial<Listed> = {}): Listed {
  return {
    id,
    root: id.padEnd(43, "r"),
    kind: id.startsWith("PLAN") ? "plan" : "task",
    title: `Title of ${id}`,
    status: "TODO",
    revision: 3,
    parent: null,
    priority: "MEDIUM",
    tags: [],
    depends_on: [],
    steps: { total: 0, completed: 0 },
    updated_at: "2026-01-01T00:00:00.000Z",
    deleted: false,
    ...more,
  };
}

const refTo = (id: string) => ({ id, root: id.padEnd(43, "r") });
const bodyOf = (rows: Listed[]): string => overview(rows).split("-->\n\n")[1]!;

describe("the overview", () => {
  it("[PROJ-64] shows each plan with its tasks, by id, and the tasks of no plan at the end", () => {
    const rows = [
      listed("TASK-10", { parent: refTo("PLAN-002"), status: "ACTIVE", steps: { total: 5, completed: 2 } }),
      listed("PLAN-002", { status: "ACTIVE" }),
      listed("TASK-2", { parent: refTo("PLAN-002"), status: "DONE", steps: { total: 1, completed: 1 } }),
      listed("PLAN-001"),
      listed("TASK-3", { depends_on: [refTo("TASK-10"), refTo("TASK-2")] }),
      listed("TASK-4", { deleted: true }),
      listed("TASK-5", { root: "foreign:TASK-5" }),
    ];
    expect(bodyOf(rows)).toBe(`# Plans and tasks

- plans: 2 (1 TODO, 1 ACTIVE)
- tasks: 3 (1 TODO, 1 ACTIVE, 1 DONE)

## [PLAN-001](tasks/PLAN-001/README.md) Title of PLAN-001

\`TODO\`, 0 of 0 tasks done

## [PLAN-002](tasks/PLAN-002/README.md) Title of PLAN-002

\`ACTIVE\`, 1 of 2 tasks done

- [x] [TASK-2](tasks/TASK-2/README.md) Title of TASK-2: \`DONE\`, 1 of 1 steps
- [ ] [TASK-10](tasks/TASK-10/README.md) Title of TASK-10: \`ACTIVE\`, 2 of 5 steps

## Other tasks

- [ ] [TASK-3](tasks/TASK-3/README.md) Title of TASK-3: \`TODO\`, waits for TASK-10
`);
    expect(bodyOf([])).toBe("# Plans and tasks\n\n- plans: 0\n- tasks: 0\n");
  });

  it("[PROJ-64] is the same whatever order the rows come in, and without a time or a revision", () => {
    const anyRow = fc.record({
      id: fc.stringMatching(/^(?:PLAN|TASK)-[0-9]{1,3}$/),
      title: anyText,
      status: fc.constantFrom(...STATUSES),
      parent: fc.option(fc.stringMatching(/^PLAN-[0-9]{1,2}$/).map(refTo)),
    });
    fc.assert(
      fc.property(fc.uniqueArray(anyRow, { selector: ({ id }) => id }), fc.nat(), (rows, at) => {
        const all = rows.map(({ id, ...more }) => listed(id, more));
        const text = overview(all);
        const cut = at % (all.length + 1);
        const later = { updated_at: "2027-07-07T07:07:07.777Z", revision: 77 };
        expect(overview([...all.slice(cut), ...all.slice(0, cut)].map((row) => ({ ...row, ...later })))).toBe(text);
        expect(readOverview(text)).toEqual({ renderer: RENDERER, intact: true });
        // User text opens no line of its own.
        const lines = bodyOf(all).split("\n");
        expect(lines.filter((line) => line.startsWith("- [")).length).toBe(all.filter((r) => r.kind === "task").length);
      }),
    );
  });

  it("[PROJ-64] has a bound, within which open ones come first, and says how many are left out", () => {
    const done = Array.from({ length: 1500 }, (_, i) =>
      listed(`TASK-${i + 1}`, { status: "DONE", title: "x".repeat(5000) }),
    );
    const open = Array.from({ length: 100 }, (_, i) => listed(`TASK-${i + 2001}`));
    const text = overview([...done, ...open]);
    expect(text).toContain("\n600 more are not shown; `taskfold list` lists all.\n");
    expect(text.match(/^- \[ \]/gm)).toHaveLength(100);
    expect(text.match(/^- \[x\]/gm)).toHaveLength(900);
    expect(text).toContain("tasks/TASK-1500/");
    expect(text).not.toContain("tasks/TASK-600/");
    expect(text).toContain("- tasks: 1600 (100 TODO, 1500 DONE)\n");
    expect(text.length).toBeLessThan(250_000);
  });

  it("[PROJ-66] knows what a hand changed, and takes no other file for an overview", () => {
    const text = overview([listed("TASK-1")]);
    expect(readOverview(`${text}more`)).toEqual({ renderer: RENDERER, intact: false });
    expect(readOverview(text.replace(`overview ${RENDERER}`, "overview 3"))).toEqual({ renderer: 3, intact: true });
    expect(readOverview("# Our tasks\n")).toBeUndefined();
    expect(readOverview(`\n${text}`)).toBeUndefined();
  });
});
