/** Telemetry, read back through the SDK's own exporters, as a collector would get it. */
import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import type { MetricData } from "@opentelemetry/sdk-metrics";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { TelemetryPort } from "../../src/engine/core/telemetry/telemetry.ts";
import { openWorkspace } from "../../src/testing.ts";
import { otel } from "../../src/hosts/otel/otel.ts";
import { sources } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { call, logLines, newTask, ok, openTemp, WORKSPACE } from "../support/workspace.ts";

/** A telemetry, and what its exporters were given. */
function collected() {
  const manager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(manager);
  onTestFinished(() => context.disable());
  const spans = new InMemorySpanExporter();
  const measures = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: measures, exportIntervalMillis: 3_600_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  onTestFinished(() => meterProvider.shutdown());
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const named = (name: string): ReadableSpan[] => spans.getFinishedSpans().filter((span) => span.name === name);
  const metric = async (name: string): Promise<MetricData["dataPoints"]> => {
    await reader.forceFlush();
    const last = measures.getMetrics().at(-1)!;
    const all = last.scopeMetrics.flatMap(({ metrics }) => metrics);
    return all.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
  };
  return { telemetry: otel({ tracerProvider, meterProvider }), tracerProvider, meterProvider, spans, named, metric };
}

const counts = (points: MetricData["dataPoints"]): [object, unknown][] =>
  points.map(({ attributes, value }) => [attributes, typeof value === "number" ? value : value.count]);

describe("taskfold/otel", () => {
  it("[OTEL-1] nothing below the host imports a package of OpenTelemetry", () => {
    const importers = sources().filter(({ imports }) => imports.some(({ target }) => /opentelemetry/.test(target)));
    expect(importers.map(({ path }) => path)).toEqual([
      "src/hosts/otel/otel.ts",
      "src/hosts/otel/process_telemetry.ts",
    ]);
  });

  it("[OTEL-1] without a telemetry the workspace uses the disk and the locks as they are", async () => {
    const seen: unknown[] = [];
    const disk = { ...nodeDisk };
    const locks = { kind: "os" as const, tryAcquire: () => ({ release: noop }), holder: noop, close: noop };
    const open = (telemetry?: TelemetryPort) =>
      openTemp({
        disk,
        ...(telemetry ? { telemetry } : {}),
        lockProvider: (engineContext) => {
          seen.push(engineContext.disk === disk, engineContext.telemetry === undefined);
          return locks;
        },
      });
    await newTask(open());
    await newTask(open(collected().telemetry));
    expect(seen).toEqual([true, true, false, false]);
  });

  it("[OTEL-10] a parent is above what has no other above it, with and without a context manager", async () => {
    const { spans, tracerProvider, meterProvider } = collected();
    const outer = tracerProvider.getTracer("test").startSpan("outer");
    const telemetry = otel({ tracerProvider, meterProvider, parent: trace.setSpan(context.active(), outer) });
    const parents = () => spans.getFinishedSpans().map(({ parentSpanContext }) => parentSpanContext?.spanId);
    await newTask(openTemp({ telemetry }));
    const call = spans.getFinishedSpans().find(({ name }) => name === "taskfold tasks_create")!;
    expect(new Set(parents())).toEqual(new Set([call.spanContext().spanId, outer.spanContext().spanId]));
    expect(call.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
    spans.reset();
    context.disable();
    await newTask(openTemp({ telemetry }));
    expect(new Set(parents())).toEqual(new Set([outer.spanContext().spanId]));
  });

  it("[OTEL-2] each call is a span and a count, by its tool and the code of a refusal", async () => {
    const { telemetry, named, metric } = collected();
    const ws = openTemp({ telemetry });
    await newTask(ws);
    await call(ws, "tasks_done", { task: "TASK-001", path: "s:0" });
    await ws.callTool("tasks_dnoe", {});
    const [done] = named("taskfold tasks_done");
    expect(done!.attributes).toEqual({ "taskfold.tool": "tasks_done", "error.type": "CHECKPOINTS_NOT_CONFIRMED" });
    expect(done!.status.code).toBe(SpanStatusCode.ERROR);
    expect(named("taskfold tasks_create")[0]!.status.code).toBe(SpanStatusCode.UNSET);
    const calls = [
      [{ "taskfold.tool": "tasks_create" }, 1],
      [{ "taskfold.tool": "tasks_done", "error.type": "CHECKPOINTS_NOT_CONFIRMED" }, 1],
      [{ "taskfold.tool": "unknown", "error.type": "UNKNOWN_TOOL" }, 1],
    ];
    expect(counts(await metric("taskfold.calls"))).toEqual(calls);
    expect(counts(await metric("taskfold.call.duration"))).toEqual(calls);
  });

  it("[OTEL-3] syncs stand under the call that waits for them, and failed ones say so", async () => {
    const { telemetry, named, metric } = collected();
    let isFailing = false;
    const fail = (): never => {
      throw Object.assign(new Error("EIO: no"), { code: "EIO" });
    };
    const disk = { ...nodeDisk, fdatasyncSync: (fd: number) => (isFailing ? fail() : nodeDisk.fdatasyncSync(fd)) };
    const ws = openTemp({ telemetry, disk });
    await newTask(ws);
    await ok(ws, "tasks_note", { task: "TASK-001", path: "s:0", note: "one" });
    const [note] = named("taskfold tasks_note");
    const under = named("taskfold sync").filter(
      (span) => span.parentSpanContext?.spanId === note!.spanContext().spanId,
    );
    expect(under.map(({ attributes }) => attributes["taskfold.sync.of"])).toContain("data");
    isFailing = true;
    await call(ws, "tasks_note", { task: "TASK-001", path: "s:0", note: "two" });
    isFailing = false;
    const points = counts(await metric("taskfold.sync.duration"));
    expect(points).toContainEqual([{ "taskfold.sync.of": "data", "taskfold.outcome": "failed" }, expect.any(Number)]);
  });

  it("[OTEL-3] a wait for a lock is a span under its call, and free locks make none", async () => {
    const { telemetry, named, metric } = collected();
    const root = tempFolder();
    const ws = openTemp({ telemetry, root, durability: "os" });
    await newTask(ws);
    expect(named("taskfold lock wait")).toEqual([]);
    const locks = { kind: "os" as const, holder: noop, close: noop };
    let refusals = 2;
    const tryAcquire = (name: string) => (name === "TASK-001" && refusals-- > 0 ? null : { release: noop });
    const second = openTemp({ telemetry, root, durability: "os", lockProvider: () => ({ ...locks, tryAcquire }) });
    await ok(second, "tasks_note", { task: "TASK-001", path: "s:0", note: "waits" });
    const [wait] = named("taskfold lock wait");
    const [note] = named("taskfold tasks_note");
    expect(wait!.parentSpanContext?.spanId).toBe(note!.spanContext().spanId);
    refusals = Infinity;
    const third = openTemp({
      telemetry,
      root,
      durability: "os",
      lockTimeoutMs: 30,
      lockProvider: () => ({ ...locks, tryAcquire }),
    });
    const refused = await call(third, "tasks_note", { task: "TASK-001", path: "s:0", note: "gives up" });
    expect(refused.error?.code).toBe("LOCK_TIMEOUT");
    expect(counts(await metric("taskfold.lock.wait.duration"))).toEqual([
      [{ "taskfold.lock.kind": "entity", "taskfold.outcome": "acquired" }, 1],
      [{ "taskfold.lock.kind": "entity", "taskfold.outcome": "not acquired" }, 1],
    ]);
  });

  it("[OTEL-7] the events that calls write are counted, and a refusal writes none", async () => {
    const { telemetry, metric } = collected();
    const root = tempFolder();
    const ws = openTemp({ telemetry, root });
    await newTask(ws);
    await ok(ws, "tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "all" });
    await call(ws, "tasks_done", { task: "TASK-001", path: "s:1" });
    expect(counts(await metric("taskfold.events"))).toEqual([[{}, logLines(root).length]]);
  });

  it("[OTEL-5] a telemetry that throws takes nothing from a call", async () => {
    const warnings: string[] = [];
    const heard = (warning: Error): void => void warnings.push(warning.message);
    process.on("warning", heard);
    onTestFinished(() => void process.off("warning", heard));
    const broken = (): never => {
      throw new Error("out of order");
    };
    const atEnd = () => broken;
    const ways: TelemetryPort[] = [
      { call: broken, lockWait: broken, sync: broken, publish: broken, written: broken },
      { call: (_tool, run) => (run(), broken()), lockWait: atEnd, sync: atEnd, publish: atEnd, written: broken },
      { call: (_tool, run) => (run(), broken), lockWait: atEnd, sync: atEnd, publish: atEnd, written: () => undefined },
    ];
    for (const telemetry of ways) {
      const root = tempFolder();
      const ws = openTemp({ telemetry, root });
      await newTask(ws);
      await ok(ws, "tasks_note", { task: "TASK-001", path: "s:0", note: "one" });
      expect(logLines(root).filter((line) => line.includes('"step.noted"'))).toHaveLength(1);
    }
    await new Promise((done) => setImmediate(done));
    expect(warnings).toEqual(Array(ways.length).fill("The telemetry failed: Error: out of order"));
  });

  it("[OTEL-5] an option that is no object is refused", () => {
    const open = () => openWorkspace({ root: tempFolder(), telemetry: "on" as never });
    expect(open).toThrow("Expected telemetry to be what otel of taskfold/otel gives");
  });

  it("[OTEL-6] no span or metric holds a path, a text or an actor", async () => {
    const { telemetry, spans } = collected();
    const root = tempFolder();
    const ws = openTemp({ telemetry, root, by: "agent:secretive" });
    await newTask(ws);
    await ok(ws, "tasks_note", { task: "TASK-001", path: "s:0", note: "confidential" });
    await call(ws, "tasks_done", { task: "TASK-001", path: "s:0" });
    const told = JSON.stringify(
      spans.getFinishedSpans().map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    );
    for (const text of [root, "confidential", "secretive", "First", WORKSPACE]) expect(told).not.toContain(text);
  });
});

function noop(): undefined {
  return undefined;
}
