// @module-tag long
// @module-tag rotating
/** Telemetry of the built program, by an SDK that is registered as its users register theirs. */
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { WORKSPACE } from "../support/workspace.ts";
import { PROGRAM, run, workspace } from "./cli_support.ts";
import { BareClient, connect, ERAS } from "./mcp_support.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;

interface SpanLine {
  span: string;
  id: string;
  trace: string;
  parent: string | null;
}

interface PointLine {
  metric: string;
  attributes: Record<string, string>;
  value: unknown;
}

/** What the exporters wrote, in a file of its own for each test. */
function collector() {
  const file = join(tempFolder(), "told.jsonl");
  const lines = (): (SpanLine | PointLine)[] =>
    existsSync(file)
      ? readFileSync(file, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as SpanLine | PointLine)
      : [];
  const register = pathToFileURL(join(ROOT, "test/support/otel_register.mjs")).href;
  return {
    env: { NODE_OPTIONS: `--import=${register}`, SPANS_FILE: file, TASKFOLD_OTEL: "1" },
    spans: () => lines().filter((line) => "span" in line),
    points: (metric: string) => lines().filter((line): line is PointLine => "metric" in line && line.metric === metric),
  };
}

/** One command in a process of its own. */
function ran(cwd: string, env: Record<string, string>, argv: string[], program = PROGRAM) {
  const given = { ...process.env, NODE_OPTIONS: "", ...env };
  return spawnSync(process.execPath, [program, ...argv], { cwd, env: given, encoding: "utf8" });
}

describe("TASKFOLD_OTEL on the command line", () => {
  it("[OTEL-8] [regression OTEL-12] a command that writes and one that reads tell their calls, to the end of a short process", async () => {
    const cwd = await workspace();
    for (const [argv, span] of [
      [["note", "TASK-001", "seen"], "taskfold tasks_note"],
      [["radar", "TASK-001"], "taskfold tasks_radar"],
    ] as const) {
      const { env, spans, points } = collector();
      const { status, stderr } = ran(cwd, env, [...argv]);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      const call = spans().find((one) => one.span === span)!;
      expect(call.parent).toBeNull();
      const tool = { "taskfold.tool": span.replace("taskfold ", "") };
      expect(points("taskfold.calls")).toContainEqual({ metric: "taskfold.calls", attributes: tool, value: 1 });
    }
  });

  it("[OTEL-8] syncs stand under the call that waits for them", async () => {
    const cwd = await workspace();
    const { env, spans } = collector();
    ran(cwd, env, ["note", "TASK-001", "seen"]);
    const call = spans().find(({ span }) => span === "taskfold tasks_note")!;
    expect(spans()).toContainEqual(expect.objectContaining({ span: "taskfold sync", parent: call.id }));
  });

  it("[OTEL-8] without the variable, with 0 or with OTEL_SDK_DISABLED the program measures nothing", async () => {
    const cwd = await workspace();
    for (const off of [{ TASKFOLD_OTEL: "" }, { TASKFOLD_OTEL: "0" }, { OTEL_SDK_DISABLED: "true" }]) {
      const { env, spans, points } = collector();
      const { status, stderr } = ran(cwd, { ...env, ...off }, ["note", "TASK-001", "seen"]);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect([...spans(), ...points("taskfold.calls")]).toEqual([]);
    }
  });

  it("[OTEL-8] another value is refused, and changes nothing", async () => {
    const cwd = await workspace();
    const { code, err } = await run({ cwd, env: { TASKFOLD_OTEL: "yes" } }, "note", "TASK-001", "seen");
    expect(code).toBe(2);
    expect(err).toContain('Expected TASKFOLD_OTEL to be 1 or 0, found "yes"');
    expect((await run({ cwd }, "show", "TASK-001")).out).not.toContain("seen");
  });

  it("[OTEL-8] without an SDK the command does its work, and warns", async () => {
    const cwd = await workspace();
    const { status, stdout, stderr } = ran(cwd, { TASKFOLD_OTEL: "1" }, ["note", "TASK-001", "seen", "--json"]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ success: true });
    expect(stderr.match(/\[TASKFOLD_TELEMETRY\]/g)).toHaveLength(1);
    expect(stderr).toContain("Nothing is measured. Expected an OpenTelemetry SDK");
  });

  it("[OTEL-8] [OTEL-11] without the API package beside it the command does its work, and warns", async () => {
    const cwd = await workspace();
    const there = join(tempFolder(), "node_modules");
    cpSync(dirname(PROGRAM), join(there, "taskfold/dist"), { recursive: true });
    cpSync(join(ROOT, "package.json"), join(there, "taskfold/package.json"));
    for (const name of ["fast-json-stable-stringify", "picocolors", "commander", "yaml", "proper-lockfile"])
      symlinkSync(join(ROOT, "node_modules", name), join(there, name));
    mkdirSync(join(cwd, "node_modules/@opentelemetry"), { recursive: true });
    symlinkSync(join(ROOT, "node_modules/@opentelemetry/api"), join(cwd, "node_modules/@opentelemetry/api"));
    const program = join(there, "taskfold/dist/cli.cjs");
    const { status, stderr } = ran(cwd, { TASKFOLD_OTEL: "1" }, ["radar", "TASK-001"], program);
    expect(status, stderr).toBe(0);
    expect(stderr).toContain("Expected the package @opentelemetry/api beside taskfold, found: Cannot find module");
    symlinkSync(join(ROOT, "node_modules/@opentelemetry"), join(there, "@opentelemetry"));
    expect(ran(cwd, { TASKFOLD_OTEL: "1" }, ["radar"], program).stderr).toContain("Expected an OpenTelemetry SDK");
  });

  it("[OTEL-10] the TRACEPARENT of the environment is the parent, and one that no propagator reads is none", async () => {
    const cwd = await workspace();
    const seen = (traceparent: string) => {
      const { env, spans } = collector();
      ran(cwd, { ...env, TRACEPARENT: traceparent }, ["radar", "TASK-001"]);
      return spans().find(({ span }) => span === "taskfold tasks_radar");
    };
    expect(seen(TRACEPARENT)).toMatchObject({ trace: TRACE, parent: PARENT });
    expect(seen("00-no-trace-01")).toMatchObject({ parent: null });
  });

  it("[OTEL-11] nothing in the folder of a workspace switches telemetry on", async () => {
    const cwd = await workspace();
    const { env, spans } = collector();
    for (const file of [".env", ".coco/.env", "taskfold.env"]) writeFileSync(join(cwd, file), "TASKFOLD_OTEL=1\n");
    appendFileSync(join(cwd, ".coco/workspace.yaml"), "TASKFOLD_OTEL: '1'\notel: true\n");
    expect(ran(cwd, { ...env, TASKFOLD_OTEL: "" }, ["radar", "TASK-001"]).status).toBe(0);
    expect(spans()).toEqual([]);
  });
});

describe("TASKFOLD_OTEL of the MCP server", () => {
  for (const era of Object.keys(ERAS)) {
    it(`[OTEL-10] the traceparent of a request's _meta is its parent, and the next has its own (${era})`, async () => {
      const root = await workspace();
      const { env, spans } = collector();
      const client = await connect(root, { era, env });
      const radar = { name: "tasks_radar", arguments: { workspace: WORKSPACE, target: "TASK-001" } };
      await client.callTool({ ...radar, _meta: { traceparent: TRACEPARENT } });
      await client.callTool({ ...radar, _meta: { traceparent: ["no", "text"] } });
      await client.callTool(radar);
      await client.close();
      await expect.poll(() => spans().filter(({ span }) => span === "taskfold tasks_radar").length).toBe(3);
      const [first, ...others] = spans().filter(({ span }) => span === "taskfold tasks_radar");
      expect(first).toMatchObject({ trace: TRACE, parent: PARENT });
      for (const other of others) expect(other.parent).toBeNull();
    });
  }

  it("[regression OTEL-12] a server sends what it has at the end of its input, and at SIGTERM", async () => {
    for (const end of ["input", "SIGTERM"] as const) {
      const { env, spans } = collector();
      const client = new BareClient(await workspace(), { env });
      await client.open();
      await client.call("tasks_radar", { workspace: WORKSPACE, target: "TASK-001" });
      if (end === "input") client.process.stdin.end();
      else client.process.kill(end);
      expect(await client.ended, end).toBe(0);
      expect(spans(), end).toContainEqual(expect.objectContaining({ span: "taskfold tasks_radar" }));
    }
  });

  it("[OTEL-10] a request that names no trace stands under the TRACEPARENT of the server", async () => {
    const root = await workspace();
    const { env, spans } = collector();
    const client = await connect(root, { env: { ...env, TRACEPARENT } });
    await client.callTool({ name: "tasks_radar", arguments: { workspace: WORKSPACE, target: "TASK-001" } });
    await client.close();
    await expect.poll(spans).toContainEqual(expect.objectContaining({ span: "taskfold tasks_radar", parent: PARENT }));
  });
});
