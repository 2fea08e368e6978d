/** `taskfold packet validate`, `create` and `plan`: what a manifest says. */
import { okReply } from "../../../engine/entity/reply.ts";
import type { Reply } from "../../../engine/entity/reply.ts";
import {
  checkPacketInputs,
  configDigest,
  invalidManifest,
  packetPlanOf,
  shownGoal,
} from "../../../engine/projection/packet_texts.ts";
import type { FieldFault, Manifest, PacketConfig, PacketPlan } from "../../../engine/projection/packet_texts.ts";
import { nodeDisk } from "../../../disk.ts";
import { TrustedConfigs } from "../../../runner/trusted_configs.ts";
import { shellQuote } from "../../../state/shell_quote.ts";
import { unwrap } from "../../../engine/entity/unwrap.ts";
import { EXIT, TaskfoldError } from "../../../errors.ts";
import type { JsonObject } from "../../../index.ts";
import { TOOLS } from "../../../tools/index.ts";
import type { Workspace } from "../../../engine/workspace.ts";
import { callTool } from "../call.ts";
import { everydayCommand } from "../everyday_command.ts";
import { sentences, textRows } from "../text/layout.ts";
import type { CliResult } from "../cli_result.ts";
import { configOf, inputsOf, manifestOf, planConfigOf } from "./files.ts";
import type { ConfigOption } from "./files.ts";
import { outcomeOf, warningsText } from "../text/reply_text.ts";
import { safeLine } from "../text/safe_text.ts";
import type { Session } from "../session.ts";
import { plain } from "../taskdoc.ts";
import { remedy, TASKFOLD } from "../../../remedy.ts";

/** Which plan or task a manifest is for, in the place of the one that it names. */
interface EntityOption extends ConfigOption {
  /** One that is there. */
  task?: string;
  /** One that is to be made. */
  id?: string;
}

/** Undefined where the manifest alone says it. */
function entityOf({ task, id }: EntityOption): string | undefined {
  if (task === undefined || id === undefined) return task ?? id;
  throw new TaskfoldError("INVALID_INPUT", "Expected --task or --id, found both.", {
    recovery: "--task names a task that is there, --id the one that create makes.",
  });
}

export async function validate(session: Session, file: string, options: EntityOption): Promise<CliResult> {
  const { errors, warnings } = await manifestOf(session, file, planConfigOf(session, options), entityOf(options));
  const valid = errors.length === 0;
  return {
    exit: valid ? EXIT.ok : EXIT.refused,
    json: okReply("packet_validate", plain({ valid, errors }), warnings, []),
    human: () => ({
      out: valid ? "The manifest is valid.\n" : "",
      err: sentences(faultsText(errors), session.errColumns) + warningsText(warnings, session),
    }),
  };
}

function faultsText(errors: readonly FieldFault[]): string {
  return errors
    .map(({ field, message }) => `${safeLine(`${field === "" ? "the document" : field}: ${message}`)}\n`)
    .join("");
}

interface CreateOptions extends EntityOption {
  inputs?: string;
}

export async function create(session: Session, file: string, options: CreateOptions): Promise<CliResult> {
  const given = configOf(session, options);
  const config = given ?? planConfigOf(session, options, session.rootOrNew);
  // All that can be wrong with them is found before anything is made.
  const manifest = valid(await manifestOf(session, file, config, entityOf(options)));
  const inputs = options.inputs === undefined ? {} : inputsOf(session, options.inputs);
  checkPacketInputs(manifest, inputs);
  packetPlanOf(manifest, config);
  return session.within(
    async (workspace) => {
      const target = options.task === undefined ? { create: true } : { task: options.task };
      const input = { workspace: await session.workspaceId(workspace), ...target, manifest: { ...manifest }, inputs };
      const reply = await callTool(session, workspace, "packet_define", input);
      return reply.success
        ? created(session, reply, {
            manifest,
            config: options.config,
            needsTrust: given === undefined && isUntrusted(session, config),
          })
        : refusalOf(session, workspace, reply, input);
    },
    { anywhere: options.task === undefined, ...packetOption(given) },
  );
}

export function packetOption(config: PacketConfig | undefined): { packet?: PacketConfig } {
  return config ? { packet: config } : {};
}

function valid({ manifest, errors }: { manifest: Manifest | null; errors: FieldFault[] }): Manifest {
  if (manifest) return manifest;
  throw invalidManifest(errors);
}

function created(
  session: Session,
  reply: Reply,
  { manifest, config, needsTrust }: { manifest: Manifest; config: string | undefined; needsTrust: boolean },
): CliResult {
  const { task, packet } = reply.result as unknown as { task: string; packet: { stages: { stage: string }[] } };
  const stages = packet.stages.map(({ stage }) => stage).join(", ");
  const trust = needsTrust ? [`Next: ${session.program} packet trust`] : [];
  const run = `packet run ${task}${config === undefined ? "" : ` --config ${shellQuote(config)}`}`;
  return {
    exit: EXIT.ok,
    json: reply,
    human: () => ({
      out:
        sentences(
          `${safeLine(`${task}: ${shownGoal(manifest)}`)}\n${safeLine(`Stages: ${stages}`)}\n`,
          session.columns,
        ) +
        [...trust, `${needsTrust ? "Then" : "Next"}: ${session.program} ${run}`]
          .map((line) => `${safeLine(line)}\n`)
          .join(""),
      err: warningsText(reply.warnings, session),
    }),
  };
}

/** Whether a run would be refused until a person has looked at the programs that the files of the workspace name. */
function isUntrusted({ rootOrNew, io }: Session, config: PacketConfig): boolean {
  return config.files_sha256 !== undefined && !new TrustedConfigs(nodeDisk, rootOrNew, io.env).has(config);
}

interface PlanOptions extends ConfigOption {
  manifest?: string;
}

export async function plan(session: Session, id: string | undefined, options: PlanOptions): Promise<CliResult> {
  if ((id === undefined) === (options.manifest === undefined))
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected the id of a task or --manifest FILE, and not both.",
      remedy`Such as ${TASKFOLD} packet plan TASK-001.`,
    );
  const given = configOf(session, options);
  const config = given ?? planConfigOf(session, options);
  if (id === undefined) {
    const manifest = valid(await manifestOf(session, options.manifest!, config));
    return planned(okReply("packet_plan", plain(packetPlanOf(manifest, config)), [], []), session);
  }
  return session.within(async (workspace) => {
    const reply = await callTool(session, workspace, "packet_plan", { task: id });
    if (!reply.success) return outcomeOf(session, workspace, reply);
    const { config_folder, config_sha256 } = reply.result as unknown as PacketPlan;
    // A run without --config takes the global configuration for a packet that no caller planned with another one.
    const isGlobal = config_folder === undefined || config_folder === config.folder;
    if (!given && (!isGlobal || configDigest(config) === config_sha256)) return planned(reply, session);
    const shown = await callTool(session, workspace, "packet_show", { task: id });
    const { manifest } = unwrap(shown) as unknown as { manifest: Manifest };
    // The plan of a run with this configuration.
    const anew = plain(packetPlanOf(manifest, config));
    return planned({ ...reply, result: { ...reply.result, ...anew } }, session);
  });
}

function planned(reply: Reply, { colors, columns: wide }: Session): CliResult {
  const { profile, stages, from: sources, ...plan } = reply.result as unknown as PacketPlan;
  const rows = stages.map(({ stage, model, timeout_sec, timeout_mode, from }) => [
    stage,
    model,
    `${timeout_sec} s (${timeout_mode})`,
    `model: ${from.model}; limit: ${from.timeout_sec}`,
  ]);
  return {
    exit: EXIT.ok,
    json: reply,
    human: () => ({
      out: `${colors.bold(safeLine(profile))}\n${textRows(rows, wide)}${sourceLines(plan, sources, wide)}`,
      err: "",
    }),
  };
}

/** Where the values come from that are no stage's own. Plans of older versions do not say it. */
function sourceLines(
  {
    flags,
    options,
    config_sha256,
    config_folder,
  }: Pick<PacketPlan, "flags" | "options" | "config_sha256" | "config_folder">,
  sources: PacketPlan["from"],
  wide: number | undefined,
): string {
  const folder = config_folder === undefined ? "built in" : (config_folder ?? "named by the caller");
  const rows = sources
    ? [
        ["profile", "", sources.profile],
        ...Object.entries(flags).map(([flag, value]) => [flag, String(value), sources.flags[flag] ?? ""]),
        ...Object.entries(options).map(([option, value]) => [option, value, sources.options[option] ?? ""]),
        ...sources.removed.map(({ stage, flag, from }) => [stage, `left out by ${flag}`, from]),
      ]
    : [];
  return textRows([...rows, ["configuration", config_sha256.slice(0, 12), folder]], wide);
}

/** One call of a tool about a packet. */
export function packetCall(
  session: Session,
  tool: string,
  input: JsonObject,
  config: PacketConfig | undefined,
  outcomeOf: (reply: Reply & { success: true }) => CliResult,
): Promise<CliResult> {
  return session.within(async (workspace) => {
    const reply = await callTool(session, workspace, tool, input);
    return reply.success ? outcomeOf(reply) : refusalOf(session, workspace, reply, input);
  }, packetOption(config));
}

/** A refusal for what a schema does not take shows an input of the tool; here a command that works stands in its place. */
export function refusalOf(session: Session, workspace: Workspace, reply: Reply, input: JsonObject): CliResult {
  const { error, intent } = reply;
  const faults = error?.details?.["faults"] as { at: string }[] | undefined;
  if (!error || !faults) return outcomeOf(session, workspace, reply);
  const example = TOOLS[intent]!.examples[0] as JsonObject;
  const isWrong = (name: string): boolean => faults.some(({ at }) => at === name || at.startsWith(`${name}.`));
  const corrected = Object.entries(input).map(([name, value]) => [name, isWrong(name) ? example[name] : value]);
  const { workspace: _root, ...args } = Object.fromEntries(corrected) as JsonObject;
  const command = everydayCommand(session.commands(), intent, args, intent);
  const way =
    command === undefined
      ? remedy`${TASKFOLD} packet --help lists the commands, each with a --help of its own.`
      : remedy`Such as: ${TASKFOLD} ${command}`;
  return outcomeOf(session, workspace, { ...reply, error: { ...error, ...way } });
}
