/** Takes secrets and forbidden paths out of the texts of a manifest that people and models read (PACKET-280). */
import type { Warning } from "../../errors.ts";
import type { Manifest } from "../../state/packet.ts";
import { listed } from "../phrase.ts";
import type { Json, JsonObject } from "../../state/json.ts";
import { REDACTED } from "../../state/packet_masks.ts";
import { memberPath } from "./field_fault.ts";
import { redactorOf } from "./redact.ts";
import { cleaned, unknownKeys } from "./unknown_keys.ts";

export interface MaskedManifest {
  manifest: Manifest;
  /** Fields that were masked. */
  masked: string[];
  /** Commands that hold a secret: they stay, because a masked command cannot run. */
  kept: string[];
}

export function maskManifest(manifest: Manifest): MaskedManifest {
  const { redact } = redactorOf(manifest.security);
  const { commands, criteria } = manifest.acceptance;
  const masked: string[] = [];
  const clean = (text: string, field: string): string => {
    const after = redact(text).text;
    if (after !== text) masked.push(field);
    return after;
  };
  /** A name such as `password` tells that its value is a secret; the value alone does not. */
  const cleanNamed = (text: string, field: string, key: string): string => {
    const after = clean(text, field);
    if (after !== text || key === "") return after;
    const line = `${key}: ${JSON.stringify(text)}`;
    if (redact(line).text === line) return text;
    masked.push(field);
    return REDACTED;
  };
  const goal = clean(manifest.goal, "goal");
  const shown = criteria.map((text, i) => clean(text, `acceptance.criteria[${i}]`));
  const kept = commands.flatMap((text, i) => (redact(text).text === text ? [] : [`acceptance.commands[${i}]`]));
  const others = unknownKeys(manifest).map((key): [string, Json] => {
    const value = (manifest as unknown as JsonObject)[key]!;
    return [clean(key, memberPath("", key)), cleaned(value, memberPath("", key), key, cleanNamed)];
  });
  const own = Object.entries(manifest).filter(([key]) => !unknownKeys(manifest).includes(key));
  const known = Object.fromEntries(own) as unknown as Manifest;
  return {
    manifest: {
      ...known,
      goal,
      acceptance: { ...manifest.acceptance, criteria: shown },
      ...Object.fromEntries(others),
    },
    masked: [...new Set(masked)],
    kept,
  };
}

export function maskWarnings({ masked, kept }: MaskedManifest): Warning[] {
  const warning = (message: string, recovery: string): Warning => ({ code: "MANIFEST_MASKED", message, recovery });
  return [
    ...(masked.length === 0
      ? []
      : [
          warning(
            `A secret or a forbidden path was masked in ${listed(masked)}.`,
            "Say it without the secret or the path, or change security in the manifest.",
          ),
        ]),
    ...(kept.length === 0
      ? []
      : [
          warning(
            `A secret or a forbidden path stands in ${listed(kept)}; the log and manifest.yaml keep it, because the command runs as written.`,
            "Read the secret from the environment in the command.",
          ),
        ]),
  ];
}
