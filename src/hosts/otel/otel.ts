/** Metrics and traces of a workspace by OpenTelemetry (OTEL rules): the API alone, so the program chooses the SDK and its exporters. */
import type { Attributes, Context, Histogram, Meter, MeterProvider, Span, TracerProvider } from "@opentelemetry/api";
import { context, metrics, SpanStatusCode, trace } from "@opentelemetry/api";
import type { TelemetryPort } from "../../engine/core/telemetry/telemetry.ts";

export interface OtelOptions {
  /** Default: the one that the program has registered. */
  tracerProvider?: TracerProvider;
  /** Default: the one that the program has registered before. */
  meterProvider?: MeterProvider;
  /** The context of spans that no other span is above: such as the trace that began this process. */
  parent?: Context;
}

const SCOPE = "taskfold";
/** Seconds: from a wait that a nap ends to one that ends in a timeout. */
const BOUNDARIES = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];

/** The telemetry that `openWorkspace` takes as `telemetry`. */
export function otel(options: OtelOptions = {}): TelemetryPort {
  const tracer = (options.tracerProvider ?? trace.getTracerProvider()).getTracer(SCOPE);
  const meter = (options.meterProvider ?? metrics.getMeterProvider()).getMeter(SCOPE);
  const counts = {
    calls: meter.createCounter("taskfold.calls", { unit: "{call}", description: "Calls that were answered." }),
    events: meter.createCounter("taskfold.events", { unit: "{event}", description: "Events written to logs." }),
    publishes: meter.createCounter("taskfold.publishes", { unit: "{message}", description: "Messages published." }),
    published: meter.createCounter("taskfold.published", { unit: "By", description: "Bytes of these messages." }),
  };
  const durations = {
    call: seconds(meter, "taskfold.call.duration", "From a call to its answer."),
    lockWait: seconds(meter, "taskfold.lock.wait.duration", "How long writers waited for locks that were not free."),
    sync: seconds(meter, "taskfold.sync.duration", "How long the disk took to keep what was written."),
    publish: seconds(meter, "taskfold.publish.duration", "From a publish to the answer of the server."),
  };
  const begin = (name: string, attributes: Attributes): Timed =>
    new Timed(tracer.startSpan(name, { attributes }, contextOr(options.parent)));

  return {
    call: (tool, run) => {
      const timed = begin(`taskfold ${tool}`, { "taskfold.tool": tool });
      context.with(trace.setSpan(context.active(), timed.span), run);
      return ({ success, error }) => {
        const code = error?.code;
        // A name that is no tool's would make a series of its own for each misspelling.
        const name = code === "UNKNOWN_TOOL" ? "unknown" : tool;
        if (name !== tool) timed.span.updateName(`taskfold ${name}`);
        const outcome = { "taskfold.tool": name, ...(code === undefined ? {} : { "error.type": code }) };
        counts.calls.add(1, outcome);
        timed.end(durations.call, outcome, success);
      };
    },
    lockWait: (lock) => {
      const kind = lockKind(lock);
      const timed = begin("taskfold lock wait", { "taskfold.lock.kind": kind, "taskfold.lock": lock });
      return (outcome) => {
        const attributes = { "taskfold.lock.kind": kind, "taskfold.outcome": outcome };
        timed.end(durations.lockWait, attributes, outcome === "acquired");
      };
    },
    sync: (of) => {
      const timed = begin("taskfold sync", { "taskfold.sync.of": of });
      return (outcome) =>
        timed.end(durations.sync, { "taskfold.sync.of": of, "taskfold.outcome": outcome }, outcome === "synced");
    },
    publish: ({ bytes }) => {
      const timed = begin("taskfold publish", { "taskfold.bytes": bytes });
      return (outcome) => {
        const attributes = { "taskfold.outcome": outcome };
        counts.publishes.add(1, attributes);
        counts.published.add(bytes, attributes);
        // Another machine was faster: the engine decides again, which is no failure.
        timed.end(durations.publish, attributes, outcome === "accepted" || outcome === "lost");
      };
    },
    written: (events) => counts.events.add(events),
  };
}

/** The context of the caller, or `parent` if the caller has no span. */
function contextOr(parent: Context | undefined): Context {
  const active = context.active();
  return parent !== undefined && trace.getSpan(active) === undefined ? parent : active;
}

function seconds(meter: Meter, name: string, description: string): Histogram {
  return meter.createHistogram(name, {
    unit: "s",
    description,
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
}

/** Something that takes time: its span, and its duration for a histogram. */
class Timed {
  readonly span: Span;
  readonly #started = performance.now();

  constructor(span: Span) {
    this.span = span;
  }

  end(durations: Histogram, attributes: Attributes, isGood: boolean): void {
    this.span.setAttributes(attributes);
    if (!isGood) this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.span.end();
    durations.record((performance.now() - this.#started) / 1000, attributes);
  }
}

/** Few values, unlike the names of locks, of which each plan and task has its own. */
function lockKind(name: string): string {
  if (name.startsWith(".")) return name.slice(1);
  return name.endsWith(".files") ? "files" : "entity";
}
