/** The files of a packet that are folded from its log; outputs, logs and prompts are files that its events name (PACKET-82). */
import { digest } from "../../state/packet_digest.ts";
import { currentFailure } from "../../state/packet_next.ts";
import type { Manifest, Packet } from "../../state/packet.ts";
import { partsOfStage } from "../../state/packet.ts";
import { toSecond } from "../../to_second.ts";
import { lastFailure, overrideFile, stagesDone, stats } from "./state_files.ts";
import { stageFiles } from "./stage_files.ts";
import { summary } from "./summary.ts";
import { inOrder } from "../../state/packet_schema.ts";
import type { YamlTree } from "../yaml.ts";
import { yamlTree } from "../yaml.ts";

/** Folders that these files stand in, and those of the stages' own. */
export const PACKET_FOLDERS = ["inputs", "inputs/attachments", "inputs/prompt", "outputs", "state", "done"] as const;

/** Path from the entity's folder to text. */
export function packetFiles(packet: Packet): Map<string, string> {
  const files = new Map(packet.inputs.map(({ path, text }) => [`inputs/${path}`, text]));
  files.set("manifest.yaml", manifestYaml(packet.manifest));
  const pack = packet.inputs.find(({ path }) => path === "context_pack.md");
  const short = pack ? digest(pack.text, packet.manifest.context.digest_policy) : null;
  if (short !== null) files.set("inputs/context_pack.digest.md", short);
  for (const stage of stagesDone(packet)) files.set(`done/${stage}.done`, `${toSecond(packet.done[stage]!)}\n`);
  files.set("state/stats.json", stats(packet));
  const failure = currentFailure(packet);
  if (failure) files.set("state/last_failure.json", lastFailure(failure));
  if (packet.override) files.set("state/acceptance.commands.override", overrideFile(packet.override));
  for (const [path, text] of stageFiles(packet)) files.set(path, text);
  files.set("outputs/_summary.md", summary(packet));
  return files;
}

/** Files that an earlier state of the packet may have had, and that it has no more. */
export function packetFilesGone(packet: Packet): string[] {
  const { plan, attempts, removed_inputs } = packet;
  const files = packetFiles(packet);
  const stages = new Map(plan.stages.map(({ stage }) => [stage, 0]));
  for (const { stage, attempt } of attempts) stages.set(stage, Math.max(stages.get(stage) ?? 0, attempt));
  return [
    ...[...stages].flatMap(([stage, latest]) => {
      const { tool } = partsOfStage(stage);
      // Of an attempt that had a number before another branch came.
      const numbers = ["", ...Array.from({ length: latest }, (_, i) => `.${i + 1}`)];
      const older = numbers.flatMap((n) => [
        `outputs/${stage}.${tool}${n}.meta.json`,
        `outputs/${stage}${n}.artifact.md`,
      ]);
      return [`done/${stage}.done`, ...older];
    }),
    ...removed_inputs.map((path) => `inputs/${path}`),
    "inputs/context_pack.digest.md",
    "state/last_failure.json",
    "state/acceptance.commands.override",
  ].filter((path) => !files.has(path));
}

/** `manifest.yaml`: keys in the order of the schema, every text quoted, so that `off` is a text to readers of YAML 1.1 and of 1.2. */
export function manifestYaml(manifest: Manifest): string {
  return yamlTree(inOrder(manifest) as YamlTree);
}
