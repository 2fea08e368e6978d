/** The telemetry of a process in which the user registered an OpenTelemetry SDK (OTEL-8, OTEL-10 and OTEL-11). */
import type { Context, TextMapGetter } from "@opentelemetry/api";
import {
  context,
  createNoopMeter,
  metrics,
  propagation,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  trace,
} from "@opentelemetry/api";
import type { TelemetryPort } from "../../engine/core/telemetry/telemetry.ts";
import { otel } from "./otel.ts";

export interface ProcessTelemetry {
  readonly port: TelemetryPort;
  /** Does the work under the trace that the `_meta` of a request names, if it names one. */
  readonly under: <T>(meta: Values | undefined, work: () => T) => T;
}

type Values = Readonly<Record<string, unknown>>;

/** As OpenTelemetry names a field in the environment: `TRACEPARENT`. */
const inEnvironment = (field: string): string => field.toUpperCase().replace(/[^A-Z0-9]/g, "_");

/** Undefined if no SDK is registered: what it would measure goes nowhere. */
export function processTelemetry(env: Values): ProcessTelemetry | undefined {
  if (!hasSdk()) return undefined;
  return {
    port: otel({ parent: namedIn(env, ROOT_CONTEXT, inEnvironment) }),
    under: (meta, work) => context.with(namedIn(meta ?? {}, context.active()), work),
  };
}

function hasSdk(): boolean {
  const provider = trace.getTracerProvider();
  const traces = !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer("taskfold") !== undefined;
  return traces || metrics.getMeter("taskfold") !== createNoopMeter();
}

/** The trace that these values name. A value is the word of a stranger: one that no propagator can read names none. */
function namedIn(values: Values, outer: Context, nameOf = (field: string): string => field): Context {
  const getter: TextMapGetter<Values> = {
    keys: (from) => Object.keys(from),
    get: (from, field) => {
      const name = nameOf(field);
      const value = Object.hasOwn(from, name) ? from[name] : undefined;
      return typeof value === "string" ? value : undefined;
    },
  };
  try {
    return propagation.extract(outer, values, getter);
  } catch {
    return outer;
  }
}
