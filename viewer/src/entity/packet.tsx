/** A task packet: budgets, and each stage as a lane of its attempts. */
import type { JSX } from "preact";
import type { AttemptItem, EntityAnswer, PacketItem, StageItem } from "../../../src/views/viewer/api.ts";
import { useNow } from "../clock.ts";
import { Badge, PACKET_LOOKS } from "../parts/badge.tsx";
import { Cut } from "../parts/cut.tsx";
import { Icon } from "../parts/icon.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Moment } from "../parts/moment.tsx";
import { Output } from "../parts/output.tsx";
import { Person } from "../parts/person.tsx";
import { axisMoment, bytes, duration, shortDay } from "../text/format.ts";
import type { DurationWords } from "../text/format.ts";
import type { Words } from "../text/en.ts";
import { useWords } from "../text/words.ts";
import { attemptTimes, secondsOf } from "./attempt_times.ts";
import { List } from "./steps.tsx";

interface PacketProps {
  entity: EntityAnswer;
  packet: PacketItem;
  /** False for a state of the past: time stands still there. */
  present: boolean;
}

export function Packet({ entity, packet, present }: PacketProps): JSX.Element {
  const words = useWords();
  const text = words.packet;
  const now = useNow();
  return (
    <>
      <section class="panel">
        <div class="entry-head">
          <h2>{words.signal.packet}</h2>
          <span class="packet-state">
            <Badge {...PACKET_LOOKS[packet.state]}>{text.states[packet.state]}</Badge>
          </span>
          <span class="id">{packet.profile}</span>
        </div>
        <Markdown text={packet.goal} />
        <p hidden={packet.archived}>
          <strong>{words.labelled(text.next, "")}</strong>
          {words.sentence(packet.next.action)}
          {packet.next.because && (
            <span class="muted"> ({text.because[packet.next.because] ?? packet.next.because})</span>
          )}
        </p>
        <h3>{text.budgets}</h3>
        <ul class="bare budgets">
          <Budget label={text.retry} {...packet.budgets.retry} />
          <Budget label={text.paidCalls} {...packet.budgets.paid_calls} />
          <Budget label={text.wallclock} {...packet.budgets.wallclock_sec} />
        </ul>
      </section>
      <Lanes
        stages={packet.stages}
        now={present ? now : Date.parse(entity.updated_at)}
        last={Date.parse(packet.updated_at)}
      />
      {packet.stages.map((stage) => (
        <Stage key={stage.stage} id={entity.id} stage={stage} />
      ))}
      <section class="panel columns">
        <div>
          <h3>{text.acceptance}</h3>
          <List
            lines={[...(packet.acceptance.override ?? packet.acceptance.commands), ...packet.acceptance.criteria]}
          />
        </div>
        <div>
          <h3>{text.scope}</h3>
          <List
            lines={[
              ...packet.scope.allow.map((path) => words.labelled(text.allow, path)),
              ...packet.scope.deny.map((path) => words.labelled(text.deny, path)),
            ]}
          />
        </div>
        <div>
          <h3>{text.settings}</h3>
          <List lines={settingLines(packet.settings, words)} />
        </div>
        <div>
          <h3>{text.inputs}</h3>
          <List lines={packet.inputs.map((input) => `${input.path} (${bytes(input.bytes, words.locale)})`)} />
        </div>
      </section>
      <p class="muted">
        {words.entity.updated} <Moment ts={packet.updated_at} /> · <span class="id">{entity.id}</span>
      </p>
    </>
  );
}

function settingLines(
  { digest_policy, forbidden_paths, redaction_patterns, flags, options }: PacketItem["settings"],
  { fields, yes, no, labelled }: Words,
): string[] {
  return [
    labelled(fields.digest_policy, digest_policy),
    ...forbidden_paths.map((path) => labelled(fields.forbidden_paths, path)),
    ...redaction_patterns.map((pattern) => labelled(fields.redaction_patterns, pattern)),
    ...Object.entries(flags).map(([flag, isOn]) => labelled(flag, isOn ? yes : no)),
    ...Object.entries(options).map(([option, value]) => labelled(option, String(value))),
  ];
}

/** Part of a budget from which on its bar has another colour. */
const NEARLY = 0.8;

function Budget({ label, budget, used }: { label: string; budget: number; used: number }): JSX.Element {
  const { packet } = useWords();
  const spent = Math.round(used * 10) / 10;
  const isOver = spent > budget;
  return (
    <li>
      <span class="one-line">{label}</span>
      <span
        class={`meter ${isOver ? "over" : used >= budget * NEARLY ? "nearly" : ""}`}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={budget}
        aria-valuenow={Math.min(used, budget)}
        aria-valuetext={`${spent} / ${budget}${isOver ? ` ${packet.over}` : ""}`}
      >
        <span style={{ width: `${Math.min(100, (100 * used) / Math.max(budget, 1))}%` }} />
      </span>
      <span class="muted one-line">
        {spent} / {budget} {isOver && <strong class="over-word">{packet.over}</strong>}
      </span>
    </li>
  );
}

interface LanesProps {
  stages: readonly StageItem[];
  now: number;
  /** The last change of the packet: nothing later is known of an attempt whose process is gone. */
  last: number;
}

/** All attempts on one scale of time: a stage a lane. */
function Lanes({ stages, now, last }: LanesProps): JSX.Element | null {
  const { packet, locale, durations, labelled } = useWords();
  const times = attemptTimes(
    stages.flatMap((stage) => stage.attempts),
    now,
    last,
  );
  if (times.size === 0) return null;
  const ranges = [...times.values()];
  const from = Math.min(...ranges.map((range) => range.from));
  const span = Math.max(...ranges.map((range) => range.to), from + 1) - from;
  const part = (ms: number): string => `${(100 * ms) / span}%`;
  return (
    <section class="panel" aria-label={packet.lanes}>
      <ol class="bare lanes">
        {stages.map((stage) => (
          <li key={stage.stage} class="lane">
            <span class="lane-name">{stage.stage}</span>
            <span class="lane-track">
              {stage.attempts.map((attempt) => {
                const range = times.get(attempt);
                if (!range) return null;
                const what = labelled(packet.attempt(attempt.attempt), howOf(attempt, packet));
                return (
                  <span
                    key={attempt.attempt}
                    class={`bar ${attempt.how ?? (attempt.lost ? "interrupted lost" : "running")}`}
                    style={{ left: part(range.from - from), width: part(range.to - range.from) }}
                    role="img"
                    aria-label={what}
                    title={what}
                  />
                );
              })}
            </span>
            <span class="lane-end">{lengthOf(stage, durations)}</span>
          </li>
        ))}
      </ol>
      <p class="axis stage-axis muted">
        <span>{axisMoment(from, span, locale)}</span>
        <span>
          {shortDay(new Date(from).toISOString(), locale)} · {duration(span / 1000, durations)}
        </span>
        <span>{axisMoment(from + span, span, locale)}</span>
      </p>
    </section>
  );
}

/** Of all its attempts that ended. */
function lengthOf({ attempts }: StageItem, durations: DurationWords): string {
  const known = attempts.map(secondsOf).filter((seconds) => seconds !== null);
  return known.length > 0
    ? duration(
        known.reduce((sum, seconds) => sum + seconds, 0),
        durations,
      )
    : "";
}

function howOf(
  { how, lost }: AttemptItem,
  words: { how: Record<string, string>; lost: string; running: string },
): string {
  return how ? words.how[how]! : lost ? words.lost : words.running;
}

function Stage({ id, stage }: { id: string; stage: StageItem }): JSX.Element {
  const words = useWords();
  const text = words.packet;
  const { failure } = stage;
  return (
    <section class="panel stage">
      <div class="entry-head">
        <h3>{stage.stage}</h3>
        <Badge {...PACKET_LOOKS[stage.state]}>{text.states[stage.state]}</Badge>
        <span class="muted">
          {stage.role} · {stage.tool} · {stage.model} · {text.limit} {duration(stage.timeout_sec, words.durations)}
          {stage.paid && ` · ${text.paid}`}
        </span>
      </div>
      {failure && (
        <div class="notice red">
          <p>
            <Icon name="failed" /> <strong>{words.labelled(text.failure, "")}</strong>
            {text.classes[failure.class] ?? failure.class} · {text.gate[failure.gate]} ·{" "}
            {words.evidence.exit(failure.exit_code)} · {text.retries(failure.retries.count, failure.retries.most)}
          </p>
          <List lines={failure.reasons.map(words.reason)} />
          {failure.suggested_actions.length > 0 && <p>{text.actions}</p>}
          <List lines={failure.suggested_actions.map(words.reason)} />
        </div>
      )}
      {stage.attempts.map((attempt) => (
        <Attempt key={attempt.attempt} id={id} attempt={attempt} />
      ))}
      <Cut shown={stage.attempts.length} total={stage.attempts_total}>
        {text.restInHistory}
      </Cut>
    </section>
  );
}

function Attempt({ id, attempt }: { id: string; attempt: AttemptItem }): JSX.Element {
  const words = useWords();
  const text = words.packet;
  const looks =
    PACKET_LOOKS[attempt.how === "passed" ? "done" : (attempt.how ?? (attempt.lost ? "interrupted" : "running"))];
  const seconds = secondsOf(attempt);
  const errors = [...attempt.stderr.head, ...attempt.stderr.tail];
  return (
    <details class="fold">
      <summary>
        <Icon name="chevron" />
        {text.attempt(attempt.attempt)} <Badge {...looks}>{howOf(attempt, text)}</Badge>{" "}
        <span class="muted">
          {seconds !== null && `${duration(seconds, words.durations)} · `}
          {attempt.how && words.evidence.exit(attempt.exit_code)}
          {attempt.timed_out && ` · ${text.timedOut}`}
          {attempt.imported && ` · ${text.imported}`}
        </span>
      </summary>
      <p class="by-line muted">
        <Person by={attempt.by} /> <Moment ts={attempt.started_at} as="short" /> {attempt.model}
      </p>
      {attempt.lost && <p class="notice amber">{text.lostHint}</p>}
      {attempt.reason && <p>{words.reason(attempt.reason)}</p>}
      {attempt.acceptance.map((run, index) => (
        <div key={index}>
          <p class="command">
            <code>{run.command}</code>
            <Badge tone={run.exit_code === 0 ? "green" : "red"} icon={run.exit_code === 0 ? "check" : "failed"}>
              {words.evidence.exit(run.exit_code)}
            </Badge>
            <span class="muted">{duration(run.duration_sec, words.durations)}</span>
          </p>
          {run.excerpt && (
            <pre tabIndex={0} aria-label={run.command}>
              {run.excerpt}
            </pre>
          )}
        </div>
      ))}
      {errors.length > 0 && (
        <>
          <h4>{text.stderr}</h4>
          <pre tabIndex={0} aria-label={text.stderr}>
            {errors.join("\n")}
          </pre>
        </>
      )}
      {attempt.files.length > 0 && (
        <>
          <h4>{text.files}</h4>
          <ul class="bare files">
            {attempt.files.map((file) => (
              <li key={file.path}>
                {file.blob ? (
                  <Output id={id} blob={file.blob} label={file.path} />
                ) : (
                  <>
                    <code>{file.path}</code>{" "}
                    <span class="muted">
                      {bytes(file.size, words.locale)}
                      {file.dropped && ` · ${text.dropped}`}
                    </span>
                  </>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </details>
  );
}
