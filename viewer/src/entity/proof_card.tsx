/** The proof of one checkpoint: declared test, run, exit code, actor, commit, time and degree. A fault of it stands out. */
import type { JSX } from "preact";
import type { CheckpointItem, EntityAnswer, EvidenceItem, StepItem, Sentence } from "../../../src/views/viewer/api.ts";
import { failingLine } from "../../../src/rules/failing_line.ts";
import { hrefOf } from "../address.ts";
import { useAnswer } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { Badge } from "../parts/badge.tsx";
import type { Tone } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import type { IconName } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { Person } from "../parts/person.tsx";
import { useWords } from "../text/words.ts";
import { ExitCode } from "./evidence.tsx";
import type { ProofCheck } from "./proof_check.ts";

export type ProofLook = CheckpointItem["proof_state"] | "broken" | "stale";

const PROOF_LOOKS: Record<ProofLook, { tone: Tone; icon: IconName }> = {
  proved: { tone: "green", icon: "evidence" },
  missing: { tone: "amber", icon: "circle" },
  failed: { tone: "red", icon: "failed" },
  broken: { tone: "red", icon: "failed" },
  stale: { tone: "amber", icon: "drift" },
  none: { tone: "plain", icon: "minus" },
};

/** The state of a proof now: one whose files were changed since holds no longer, and a run may be one of other files. */
export function proofOf(
  step: StepItem,
  { name, proof_state, by_packet, links }: CheckpointItem,
  { broken, stale }: ProofCheck,
): { look: ProofLook; why?: Sentence } {
  if (proof_state !== "proved" || by_packet) return { look: proof_state };
  const backs = links.filter(({ counts }) => counts);
  if (backs.length > 0 && backs.every(({ evidence }) => broken.has(evidence))) return { look: "broken" };
  const found = stale.find((one) => one.step.id === step.id && one.checkpoint === name);
  return found ? { look: "stale", why: found.why } : { look: proof_state };
}

type Link = CheckpointItem["links"][number];

/** The link that decides for a reader: the newest run that failed, else the newest entry that counts, else the newest. */
function judgedBy({ links, proof_state }: CheckpointItem): Link | undefined {
  const failed = proof_state === "failed" ? links.findLast(hasFailed) : undefined;
  return failed ?? links.findLast(({ counts }) => counts) ?? links.at(-1);
}

function hasFailed({ exit_code }: Pick<Link, "exit_code">): boolean {
  return exit_code !== null && exit_code !== 0;
}

interface ProofCardProps {
  entity: EntityAnswer;
  step: StepItem;
  checkpoint: CheckpointItem;
  proofCheck: ProofCheck;
}

export function ProofCard({ entity, step, checkpoint, proofCheck }: ProofCardProps): JSX.Element {
  const words = useWords();
  const { steps, evidence } = words;
  const { look, why } = proofOf(step, checkpoint, proofCheck);
  const { name, confirmed, required, proof, proof_state, by_packet, failed_commands, other_commands } = checkpoint;
  const link = judgedBy(checkpoint);
  // An older entry is among the evidence alone: the link has its command, exit code and time.
  const entry = entity.evidence.find(({ id }) => id === link?.evidence);
  const broken = link && proofCheck.broken.get(link.evidence);
  return (
    <li class={`proof-card is-${PROOF_LOOKS[look].tone}`}>
      <p class="by-line">
        <span class="checkpoint-name">{steps.names[name]}</span>
        <Badge tone={confirmed ? "green" : "plain"} icon={confirmed ? "check" : "circle"}>
          {confirmed ? steps.confirmed : required ? steps.open : steps.optional}
        </Badge>
        {(proof !== "off" || proof_state !== "none") && (
          <Badge {...PROOF_LOOKS[look]}>{by_packet ? steps.byPacket : steps.proof[look]}</Badge>
        )}
        {entry && entry.degree !== "claimed" && (
          <Badge tone="plain" icon="evidence">
            {evidence.degrees[entry.degree]}
          </Badge>
        )}
      </p>
      {name === "tests" && step.tests.length > 0 && (
        <p class="command">
          <span class="muted">{steps.declared}</span>
          {step.tests.map((test) => (
            <code key={test}>{test}</code>
          ))}
        </p>
      )}
      {link && (
        <p class="command">
          <a class="proof-link" href={hrefOf("task", entity.id, { tab: "evidence", entry: link.evidence })}>
            <Icon name="evidence" />
            <span class="mono">{link.command ?? entry?.title ?? link.evidence}</span>
          </a>
          {link.command !== null && <ExitCode code={link.exit_code} />}
          {entry?.by && <Person by={entry.by} />}
          {entry?.commit && (
            <span class="muted">
              {evidence.commit} <code>{entry.commit.slice(0, 12)}</code>
            </span>
          )}
          <Moment ts={link.ts} />
        </p>
      )}
      {failed_commands.map((command) => (
        <p key={command} class="loud is-red">
          <Icon name="failed" /> {steps.newestFailed} <span class="mono">{command}</span>
        </p>
      ))}
      {other_commands.map((command) => (
        <p key={command} class="loud is-amber">
          <Icon name="drift" /> {steps.otherCommand} <span class="mono">{command}</span>
        </p>
      ))}
      {why !== undefined && (
        <p class="loud is-amber">
          <Icon name="drift" /> {words.sentence(why)}
        </p>
      )}
      {broken && (
        <p class="loud is-red">
          <Icon name="failed" /> {broken.why.map(words.sentence).join("; ")}
        </p>
      )}
      {entry && link && hasFailed(link) && <FailureLine id={entity.id} entry={entry} />}
      {checkpoint.links_total > 1 && (
        <a href={hrefOf("task", entity.id, { tab: "evidence" })}>{steps.allEvidence(checkpoint.links_total)}</a>
      )}
    </li>
  );
}

/** The line that the terminal names. The event of an old run keeps none, so its output is read here, by the same rule. */
function FailureLine({ id, entry }: { id: string; entry: EvidenceItem }): JSX.Element | null {
  const run = entry.runs.find(({ exit_code }) => exit_code !== null && exit_code !== 0);
  const blobs = entry.failing_line === null ? [run?.stdout, run?.stderr] : [];
  const [output, errors] = blobs.map((blob) => (blob && blob.size !== null && blob.size > 0 ? blob : null));
  const held = useAnswer(output ? names.output(id, output.sha256, 0) : null);
  const more = useAnswer(errors ? names.output(id, errors.sha256, 0) : null);
  const line = entry.failing_line ?? failingLine([held.value, more.value].map((answer) => answer?.text ?? ""));
  return line === undefined ? null : <p class="loud mono failure-line">{line}</p>;
}
