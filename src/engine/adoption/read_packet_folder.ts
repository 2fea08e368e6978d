/**
 * A packet's folder as another program left it, read within limits and through no link. Faults of files that have to be right are all told
 * at once; a file that cannot be taken in is named with its reason (PACKET-190 and PACKET-193).
 */
import { join } from "node:path";
import type * as Yaml from "yaml";
import type { Disk } from "../../disk.ts";
import { TEMP_PREFIX } from "../../files/atomic.ts";
import { listFolder } from "../../files/folders.ts";
import { inspectFile } from "../../files/inspect.ts";
import type { FieldFault } from "../../rules/packet/field_fault.ts";
import { expected, shown } from "../../rules/packet/field_fault.ts";
import type { ForeignPacket, ForeignRun } from "../../rules/packet/import_packet.ts";
import { attachmentFault } from "../../rules/packet/packet_path.ts";
import { isObject } from "../../state/json.ts";
import { LIMITS } from "../../state/limits.ts";
import type { Failure, FailureClass, Signature, StageFile } from "../../state/packet.ts";
import { FAILURE_CLASSES, partsOfStage, STAGE_FILES, stageFile, STAGES } from "../../state/packet.ts";
import type { PlanConfig } from "../../state/packet_config.ts";
import { parseManifest } from "../projection/packet_documents.ts";

export interface FileFault extends FieldFault {
  /** From the folder on. */
  file: string;
}

export interface ReadPacket {
  /** Null where there are faults. */
  packet: ForeignPacket | null;
  faults: FileFault[];
  left: { path: string; reason: string }[];
}

/** Bytes of one document, of one output, and of all outputs; names in one folder. */
const DOCUMENT = 1024 * 1024;
const OUTPUT = 8 * 1024 * 1024;
const OUTPUTS = 64 * 1024 * 1024;
const NAMES = 1000;

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;
const SIGNATURE = /^sig:[0-9a-f]{16}$/;
const SHA256 = /^[0-9a-f]{64}$/;
const MODEL_CHARACTERS = 200;
const TEXT_CHARACTERS = 10_000;

const STATE_FILES = new Set(["state/stats.json", "state/last_failure.json", "state/acceptance.commands.override"]);

/** Files that are folded anew, or that another program keeps for itself: they tell nothing that is not told elsewhere. */
const PASSED =
  /^(?:outputs\/(?:_summary\.md|.*\.gate_result\.json|.*\.prompt_sha256)|inputs\/context_pack\.digest\.md)$/;

const ARTIFACT = /^outputs\/[^/]*\.artifact\.md$/;

const OVERRIDE = "state/acceptance.commands.override";

export function readPacketFolder(
  disk: Disk,
  folder: string,
  { config, yaml }: { config: PlanConfig; yaml: typeof Yaml },
): ReadPacket {
  return new FolderReader(disk, folder).read(config, yaml);
}

type Text = { text: string; lossy: boolean } | { why: string } | null;

class FolderReader {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #faults: FileFault[] = [];
  readonly #left: ReadPacket["left"] = [];
  #outputBytes = 0;

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#folder = folder;
  }

  read(config: PlanConfig, yaml: typeof Yaml): ReadPacket {
    const manifest = this.#manifest(config, yaml);
    const stats = this.#json("state/stats.json");
    const rest = {
      inputs: this.#inputs(),
      markers: this.#markers(),
      runs: this.#runs(),
      paid_calls_used: stats ? this.#count("state/stats.json", "paid_calls_used", stats["paid_calls_used"]) : null,
      signatures: stats ? this.#signatures(stats["signatures"]) : null,
      last_failure: this.#lastFailure(),
      override: this.#override(),
      has_override: this.#text(OVERRIDE, LIMITS.textBytes) !== null,
      stages_completed: stats ? this.#completed(stats["stages_completed"]) : null,
    };
    for (const path of this.#names("state").map((name) => `state/${name}`))
      if (!STATE_FILES.has(path)) this.#leave(path, "it belongs to the program that made it");
    const packet = manifest && this.#faults.length === 0 ? { manifest, ...rest } : null;
    return { packet, faults: this.#faults, left: this.#left };
  }

  #manifest(config: PlanConfig, yaml: typeof Yaml): ForeignPacket["manifest"] | null {
    const file = "manifest.yaml";
    const found = this.#text(file, DOCUMENT);
    if (found === null) {
      this.#fault(file, { field: "", reason: "missing", message: "Expected manifest.yaml in the folder, found none." });
      return null;
    }
    if ("why" in found || found.lossy) {
      const why = "why" in found ? found.why : "it is not UTF-8";
      this.#fault(file, { field: "", reason: "path", message: `Expected a manifest.yaml that can be read: ${why}.` });
      return null;
    }
    const { manifest, errors } = parseManifest(found.text, config, yaml);
    for (const error of errors) this.#fault(file, error);
    return manifest;
  }

  #inputs(): ForeignPacket["inputs"] {
    const inputs: ForeignPacket["inputs"] = [];
    const attachments = this.#names("inputs/attachments").map((name) => `attachments/${name}`);
    for (const path of ["user_request.md", "context_pack.md", ...attachments]) {
      const name = path.startsWith("attachments/") ? path.slice("attachments/".length) : null;
      const unsafe = name === null ? null : attachmentFault(name);
      const found = unsafe === null ? this.#text(`inputs/${path}`, LIMITS.textBytes) : { why: unsafe };
      if (found === null) continue;
      if ("why" in found) this.#leave(`inputs/${path}`, found.why);
      else if (found.lossy || found.text.includes("\0")) this.#leave(`inputs/${path}`, "it is no UTF-8 text");
      else inputs.push({ path, text: found.text });
    }
    return inputs;
  }

  #markers(): ForeignPacket["markers"] {
    return this.#names("done").flatMap((name) => {
      const path = `done/${name}`;
      const stage = /^(.+)\.done$/.exec(name)?.[1];
      if (stage === undefined || !STAGES.includes(stage)) return this.#leave(path, "there is no stage of this name");
      const found = this.#text(path, DOCUMENT);
      if (found === null) return [];
      if ("why" in found) return this.#leave(path, found.why);
      return [{ stage, at: timeOf(found.text.trim()) }];
    });
  }

  #runs(): ForeignRun[] {
    const names = new Set(this.#names("outputs").map((name) => `outputs/${name}`));
    const runs = STAGES.flatMap((stage) => this.#runsOf(stage, names));
    for (const path of names)
      if (ARTIFACT.test(path)) this.#leave(path, "results of acceptance commands of another program are not taken in");
      else if (!PASSED.test(path)) this.#leave(path, "it belongs to no stage that is taken in");
    return runs;
  }

  /** Earlier attempts have their numbers in the names of their files. */
  #runsOf(stage: string, names: Set<string>): ForeignRun[] {
    const numbered = new RegExp(`^outputs/${stage}\\.${partsOfStage(stage).tool}\\.([1-9]\\d{0,5})\\.`);
    const attempts = new Set([...names].flatMap((name) => numbered.exec(name)?.[1] ?? []).map(Number));
    const earlier = [...attempts].toSorted((a, b) => a - b);
    return [...earlier, undefined].flatMap((attempt) => this.#run(stage, attempt, names));
  }

  #run(stage: string, attempt: number | undefined, names: Set<string>): ForeignRun[] {
    const number = attempt === undefined ? "" : `${attempt}.`;
    const meta = `outputs/${stage}.${partsOfStage(stage).tool}.${number}meta.json`;
    const files = STAGE_FILES.flatMap((kind) => this.#output(kind, stageFile(stage, kind, attempt), names));
    const hasMeta = names.delete(meta);
    if (!hasMeta && files.length === 0) return [];
    const fields = (hasMeta ? this.#json(meta) : null) ?? {};
    const text = (name: string): string | null => (typeof fields[name] === "string" ? (fields[name] as string) : null);
    const whole = (name: string, least: number): number | null => {
      const value = fields[name];
      return Number.isSafeInteger(value) && (value as number) >= least ? (value as number) : null;
    };
    const sha256 = text("prompt_sha256");
    return [
      {
        stage,
        exit_code: whole("exit_code", Number.MIN_SAFE_INTEGER),
        model: text("model")?.slice(0, MODEL_CHARACTERS).toWellFormed() ?? null,
        start: secondsOf(text("start")),
        end: secondsOf(text("end")),
        duration_sec: whole("duration_sec", 0),
        prompt_sha256: sha256 !== null && SHA256.test(sha256) ? sha256 : null,
        files,
      },
    ];
  }

  #output(kind: StageFile, path: string, names: Set<string>): ForeignRun["files"] {
    if (!names.delete(path)) return [];
    const found = this.#text(path, Math.min(OUTPUT, OUTPUTS - this.#outputBytes));
    if (found === null) return [];
    if ("why" in found) return this.#leave(path, found.why);
    this.#outputBytes += found.text.length;
    return [{ kind, path, text: found.text }];
  }

  #signatures(value: unknown): Record<string, Signature> | null {
    const file = "state/stats.json";
    if (value === undefined) return null;
    if (!isObject(value)) {
      this.#wrong(file, "signatures", "a map", value);
      return null;
    }
    const all = Object.entries(value).flatMap(([name, one]): [string, Signature][] => {
      const path = `${file}: ${JSON.stringify(name.slice(0, 80))}`;
      if (!SIGNATURE.test(name) || !isObject(one)) return this.#leave(path, "it is no signature with its count");
      const count = one["count"];
      const kind = classOf(one["class"]);
      if (!Number.isSafeInteger(count) || (count as number) < 0 || kind === null)
        return this.#leave(path, "its count or its class is not known");
      const first = timeOf(one["first_seen"]) ?? timeOf(one["last_seen"]) ?? new Date(0).toISOString();
      const last_seen = timeOf(one["last_seen"]) ?? first;
      return [[name, { count: count as number, class: kind, first_seen: first, last_seen }]];
    });
    return Object.fromEntries(all);
  }

  #completed(value: unknown): string[] | null {
    if (value === undefined) return null;
    if (Array.isArray(value)) return value.filter((one): one is string => STAGES.some((stage) => stage === one));
    this.#leave("state/stats.json", "its stages_completed is no list");
    return null;
  }

  /** Other programs write no stage and no time: then nothing tells which stage it stopped. */
  #lastFailure(): Omit<Failure, "normalized"> | null {
    const path = "state/last_failure.json";
    const fields = this.#json(path);
    if (fields === null) return null;
    const { stage, signature } = fields;
    const kind = classOf(fields["class"]);
    const attempt = fields["attempt"] ?? 1;
    const exit_code = fields["exit_code"] ?? null;
    if (typeof stage !== "string" || !STAGES.includes(stage)) {
      this.#leave(path, "it names no stage");
      return null;
    }
    const isCode = exit_code === null || Number.isSafeInteger(exit_code);
    const isNumber = Number.isSafeInteger(attempt) && (attempt as number) >= 1;
    if (kind === null || typeof signature !== "string" || !SIGNATURE.test(signature) || !isNumber || !isCode) {
      this.#leave(path, "its class, signature, attempt or exit code is not known");
      return null;
    }
    return {
      stage,
      attempt: attempt as number,
      class: kind,
      signature,
      exit_code: exit_code as number | null,
      gate:
        fields["gate_result"] === "pass"
          ? "passed"
          : fields["gate_result"] === "other_failure"
            ? "not_judged"
            : "failed",
      reasons: textsOf(fields["reasons"]),
      suggested_actions: textsOf(fields["suggested_actions"]),
      ts: timeOf(fields["time"]) ?? new Date(0).toISOString(),
    };
  }

  #override(): string[] | null {
    const path = OVERRIDE;
    const found = this.#text(path, LIMITS.textBytes);
    if (found === null) return null;
    if ("why" in found || found.lossy) {
      this.#leave(path, "why" in found ? found.why : "it is no UTF-8 text");
      return null;
    }
    const commands = found.text
      .split(/\r\n|\n|\r/)
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("#"));
    return commands.length === 0 ? null : commands;
  }

  /** An object, or null with a fault: a file that cannot be read is no reason to count from zero. */
  #json(file: string): Record<string, unknown> | null {
    const found = this.#text(file, DOCUMENT);
    if (found === null) return null;
    if ("why" in found) {
      this.#fault(file, { field: "", reason: "path", message: `Expected a ${file} that can be read: ${found.why}.` });
      return null;
    }
    try {
      const value = JSON.parse(found.text) as unknown;
      if (isObject(value)) return value;
      this.#wrong(file, "", "a JSON object", value);
    } catch (e) {
      if (!(e instanceof SyntaxError)) throw e;
      this.#fault(file, { field: "", reason: "type", message: `Expected ${file} to be JSON: ${e.message}.` });
    }
    return null;
  }

  #count(file: string, field: string, value: unknown): number | null {
    if (value === undefined) return null;
    if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
    this.#wrong(file, field, "a whole number from 0", value);
    return null;
  }

  #wrong(file: string, field: string, what: string, value: unknown): void {
    this.#fault(file, { field, reason: "type", message: expected(field, what, shown(value)) });
  }

  #fault(file: string, fault: FieldFault): void {
    this.#faults.push({ file, ...fault });
  }

  #leave(path: string, reason: string): [] {
    this.#left.push({ path: path.toWellFormed(), reason });
    return [];
  }

  /** Text of a regular file of at most `most` bytes to which no link leads; null: there is none. */
  #text(path: string, most: number): Text {
    const found = inspectFile(this.#disk, this.#folder, path, 0);
    if (found.state === "missing") return null;
    if (found.state === "unsafe") return { why: found.why };
    if (found.size > most) return { why: `it has ${found.size} bytes, and at most ${most} are taken in` };
    const bytes = this.#disk.readFile(join(this.#folder, path), most);
    const text = bytes.toString("utf8");
    return { text: text.toWellFormed(), lossy: !Buffer.from(text).equals(bytes) };
  }

  #names(path: string): string[] {
    const full = join(this.#folder, path);
    const kinds = path
      .split("/")
      .map((_, i, all) => this.#disk.lstat(join(this.#folder, ...all.slice(0, i + 1)))?.kind);
    if (kinds.includes(undefined)) return [];
    if (kinds.some((kind) => kind !== "folder")) return this.#leave(path, "it is no folder");
    const names = listFolder(this.#disk, full)
      .filter((name) => !name.startsWith(TEMP_PREFIX))
      .toSorted();
    if (names.length > NAMES) this.#leave(path, `it has ${names.length} entries, and ${NAMES} of them are looked at`);
    return names.slice(0, NAMES);
  }
}

function classOf(value: unknown): FailureClass | null {
  return FAILURE_CLASSES.find((one) => one === value) ?? null;
}

function textsOf(value: unknown): string[] {
  const texts = Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
  return texts.slice(0, 20).map((one) => one.slice(0, TEXT_CHARACTERS).toWellFormed());
}

/** A time as the log writes it; null where the text is none. */
function timeOf(value: unknown): string | null {
  if (typeof value !== "string" || !TIME.test(value)) return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

/** A time of a run, which is measured to the second. */
function secondsOf(value: string | null): string | null {
  const time = timeOf(value);
  return time === null ? null : `${time.slice(0, 19)}Z`;
}
