// @ts-check
// What a user registers by NODE_OPTIONS=--import: the SDK with its batches, which it sends at the end of the process. In the
// place of a collector stands the file that SPANS_FILE names: a line for each span and each point of a metric.
import { context, metrics, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { AggregationTemporality, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { appendFileSync } from "node:fs";

const file = process.env["SPANS_FILE"] ?? "";

/** @param {readonly object[]} told @param {(result: { code: number }) => void} done */
function write(told, done) {
  for (const one of told) appendFileSync(file, `${JSON.stringify(one)}\n`);
  done({ code: 0 });
}

const tracerProvider = new BasicTracerProvider({
  spanProcessors: [
    new BatchSpanProcessor({
      shutdown: () => Promise.resolve(),
      export: (spans, done) =>
        write(
          spans.map((span) => ({
            span: span.name,
            id: span.spanContext().spanId,
            trace: span.spanContext().traceId,
            parent: span.parentSpanContext?.spanId ?? null,
          })),
          done,
        ),
    }),
  ],
});
const meterProvider = new MeterProvider({
  readers: [
    new PeriodicExportingMetricReader({
      exporter: {
        shutdown: () => Promise.resolve(),
        forceFlush: () => Promise.resolve(),
        selectAggregationTemporality: () => AggregationTemporality.CUMULATIVE,
        export: ({ scopeMetrics }, done) =>
          write(
            scopeMetrics.flatMap((scope) =>
              scope.metrics.flatMap(({ descriptor, dataPoints }) =>
                dataPoints.map(({ attributes, value }) => ({ metric: descriptor.name, attributes, value })),
              ),
            ),
            done,
          ),
      },
    }),
  ],
});

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
trace.setGlobalTracerProvider(tracerProvider);
metrics.setGlobalMeterProvider(meterProvider);
process.once("beforeExit", () => void Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()]));
