import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { composeStage } from "../../src/runner/compose_stage.ts";
import { filesOf, machine, machines } from "../support/machines.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { natsServer } from "../support/nats.ts";
import { openWith } from "../support/open_with.ts";
import { REVIEW, reviewed, runStage } from "../support/packet_work.ts";
import { ok, WORKSPACE } from "../support/workspace.ts";

describe.each(["strict", "merge"] as const)("a packet in mode %s", (mode) => {
  it("[SHARED-39] is continued by another machine, which fetches what the stages before it left", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2, { log: { mode } });
    const id = await reviewed(a!);
    await a!.shared.sync();
    await b!.shared.sync(WORKSPACE);
    const output = "outputs/gemini_review.gemini.out";
    const found = b!.verify();
    expect(found.ok).toBe(true);
    expect(found.findings.map(({ code, file }) => `${code} ${file}`)).toContain(
      `BYTES_REMOTE .coco/tasks/${id}/${output}`,
    );
    await runStage(b!, id, "codex_review", `${REVIEW}\nseen by the second machine\n`);
    expect(readFileSync(join(b!.root, ".coco/tasks", id, output), "utf8")).toBe(REVIEW);
    await b!.shared.sync();
    await a!.shared.sync();
    const started = await ok(a!, "packet_stage_start", { task: id, stage: "copilot_review_consolidate" });
    expect(JSON.stringify(started)).not.toContain("BYTES_REMOTE");
    const prompt = join(a!.root, ".coco/tasks", id, "inputs/prompt/copilot.review_consolidate.md");
    expect(readFileSync(prompt, "utf8")).toContain("seen by the second machine");
    for (const one of [a!, b!, a!]) await one.shared.sync(WORKSPACE, { blobs: "all" });
    expect(filesOf(b!.root)).toEqual(filesOf(a!.root));
    expect([a!.verify().findings, b!.verify().findings]).toEqual([[], []]);
  });

  it("[SHARED-39] gives files of an earlier attempt their number on every machine", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2, { log: { mode } });
    const id = await reviewed(a!);
    await a!.shared.sync();
    await b!.shared.sync(WORKSPACE, { blobs: "all" });
    await ok(a!, "packet_stage_reopen", { task: id, stage: "gemini_review", reason: "it was too short" });
    await runStage(a!, id, "gemini_review", `${REVIEW}\nlonger\n`);
    await a!.shared.sync();
    await b!.shared.sync();
    expect(b!.verify().findings.filter(({ info }) => info !== true)).toEqual([]);
    await b!.shared.sync(WORKSPACE, { blobs: "all" });
    expect(filesOf(b!.root)).toEqual(filesOf(a!.root));
    expect(b!.verify().findings).toEqual([]);
  });
});

describe("a file of a packet", () => {
  it("[SHARED-39] that only the shared log has is named by composeStage, which cannot wait for it", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2);
    const id = await reviewed(a!);
    await b!.shared.sync(WORKSPACE);
    const codes = (): string[] => composeStage(b!, id, "copilot_review_consolidate").warnings.map(({ code }) => code);
    expect(codes()).toContain("BYTES_REMOTE");
    await b!.shared.fetch(id);
    expect(codes()).not.toContain("BYTES_REMOTE");
  });

  it("[SHARED-39] that a later attempt wrote while an earlier one was fetched stays", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    const id = await reviewed(a!);
    const output = join(".coco/tasks", id, "outputs/gemini_review.gemini.out");
    const first = createHash("sha256").update(REVIEW).digest("hex");
    const later = `${REVIEW}\nlonger\n`;
    let asked = 0;
    const b: Workspace = openWith(server.url, (log) => ({
      getBlob: async (sha256) => {
        const bytes = await log.getBlob(sha256);
        if (sha256 !== first || asked++ > 0) return bytes;
        const beside = machine(server.url, { root: b.root });
        await ok(beside, "packet_stage_reopen", { task: id, stage: "gemini_review", reason: "it was too short" });
        await runStage(beside, id, "gemini_review", later);
        return bytes;
      },
    }));
    await b.shared.sync(WORKSPACE);
    await b.shared.fetch(id);
    expect(asked).toBeGreaterThan(0);
    expect(readFileSync(join(b.root, output), "utf8")).toBe(later);
    await b.shared.fetch(id);
    expect(b.verify().findings).toEqual([]);
  });
});
