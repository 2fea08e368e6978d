import { expect, it } from "vitest";
import type { EvidenceEntry } from "../../src/state/evidence.ts";
import { evidenceItems } from "../../src/views/viewer/evidence_items.ts";
import { givenTask } from "../support/given.ts";

it("[VIEWER-102] a run that Taskfold started has the commit that was checked out then", () => {
  const entity = givenTask("a").entity();
  const time = "2026-01-01T00:00:00.000Z";
  const entry: EvidenceEntry = {
    id: "cmd-1",
    kind: "command-execution",
    title: "npm test",
    summary: "",
    createdAt: time,
    sources: [{ type: "commandExecution", command: "npm test", cwd: ".", exitCode: 0 }],
  };
  const captured = { started_at: time, ended_at: time, platform: "linux", git_commit: "c0ffee" };
  entity.facts.set(entry.id, { by: "agent:ada", captured });
  expect(evidenceItems(entity, [entry], () => null)).toMatchObject([{ commit: "c0ffee" }]);
});
