/** The telemetry that `TASKFOLD_OTEL=1` switches on. It takes nothing from a command: a missing part becomes a warning of the process (OTEL-8). */
import { TaskfoldError } from "../../errors.ts";
import type { ProcessTelemetry } from "../otel/process_telemetry.ts";
import type { Io } from "./io.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

const REGISTER =
  "Register one before the program begins, by its full path: NODE_OPTIONS='--import /PATH/register.js'. The API of the SDK may not be older.";

export async function telemetryOf(env: Io["env"]): Promise<ProcessTelemetry | undefined> {
  const given = env["TASKFOLD_OTEL"];
  if (given === "0" || env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return undefined;
  if (given !== "1")
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected TASKFOLD_OTEL to be 1 or 0, found ${JSON.stringify(given)}.`,
      remedy`TASKFOLD_OTEL=1 ${TASKFOLD} list`,
    );
  try {
    const { processTelemetry } = await import("../otel/process_telemetry.ts");
    const telemetry = processTelemetry(env);
    if (!telemetry)
      warn(`Expected an OpenTelemetry SDK that fits the @opentelemetry/api beside taskfold, found none. ${REGISTER}`);
    return telemetry;
  } catch (e) {
    const found = e instanceof Error ? (e.message.split("\n")[0] ?? "") : String(e);
    warn(
      `Expected the package @opentelemetry/api beside taskfold, found: ${found}. Install it where taskfold is: npm install --global @opentelemetry/api.`,
    );
    return undefined;
  }
}

function warn(text: string): void {
  process.emitWarning(`Nothing is measured. ${text}`, { code: "TASKFOLD_TELEMETRY" });
}
