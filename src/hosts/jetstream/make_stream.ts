/**
 * Makes the stream of a workspace, and the object store beside it. It keeps what is there already, and completes a
 * run that was cut off. The message that says which workspace it is comes last: a stream without it takes no changes.
 */
import { randomBytes } from "node:crypto";
import type * as JetStream from "@nats-io/jetstream";
import type { SharedAbout } from "../../engine/core/shared_log.ts";
import { WORKSPACE_MESSAGE } from "../../engine/core/shared_log.ts";
import { TaskfoldError } from "../../errors.ts";
import { failureOf } from "./failure.ts";
import type { NatsPackages } from "./packages.ts";

export interface StreamLimits {
  replicas?: number;
  maxBytes?: number;
}

interface Making extends StreamLimits {
  name: string;
  js: JetStream.JetStreamClient;
  manager: JetStream.JetStreamManager;
}

/** A publish is repeated within seconds. Nanoseconds. */
const DUPLICATES_NS = 10 * 60 * 1e9;

export async function makeStream(packages: NatsPackages, making: Making, about: SharedAbout): Promise<void> {
  const { name, js, manager, replicas = 1 } = making;
  const there = await infoOf(packages, manager, name);
  const { config, state } = there ?? (await added(packages, making, about));
  const store = await infoOf(packages, manager, `OBJ_${name}`);
  if (!store) await new packages.objects.Objm(js).create(name, { replicas: Math.max(replicas, config.num_replicas) });
  if (there) await raise(manager, there, making);
  if (store) await raise(manager, store, { ...making, maxBytes: undefined });
  // A condition on the last sequence number needs a last message.
  if (state.last_seq === 0)
    await js.publish(`${subjectOf(name, config)}.workspace`, JSON.stringify(about), {
      msgID: WORKSPACE_MESSAGE,
      retries: 10,
    });
}

/**
 * Messages go to subjects that begin so. A stream that is made in the place of another one has other subjects. So a message
 * that was meant for the one before reaches no stream. One of an earlier version has its name alone.
 */
export function subjectOf(name: string, { subjects }: Pick<JetStream.StreamConfig, "subjects">): string {
  const [subject = ""] = subjects;
  return subject.endsWith(".>") ? subject.slice(0, -2) : `taskfold.${name}`;
}

async function added(
  packages: NatsPackages,
  { name, manager, replicas = 1, maxBytes = -1 }: Making,
  about: SharedAbout,
): Promise<JetStream.StreamInfo> {
  const { RetentionPolicy, DiscardPolicy, StorageType } = packages.jetStream;
  try {
    return await manager.streams.add({
      name,
      description: JSON.stringify({ taskfold: 1, ...about }),
      subjects: [`taskfold.${name}.${randomBytes(6).toString("hex")}.>`],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      // Full: it refuses what is new and drops nothing.
      discard: DiscardPolicy.New,
      max_age: 0,
      max_msgs: -1,
      max_bytes: maxBytes,
      num_replicas: replicas,
      duplicate_window: DUPLICATES_NS,
      deny_delete: true,
      deny_purge: true,
    });
  } catch (e) {
    // Another machine may have made it at the same time, with subjects of its own.
    const made = await infoOf(packages, manager, name);
    if (!made) throw e;
    return made;
  }
}

/** Gives the stream the limits that were asked for. Less than it has is refused: a server might drop messages for it. */
async function raise(
  { streams }: JetStream.JetStreamManager,
  { config }: JetStream.StreamInfo,
  { replicas = config.num_replicas, maxBytes = config.max_bytes }: { [K in keyof StreamLimits]: number | undefined },
): Promise<void> {
  const { name } = config;
  if (replicas < config.num_replicas) throw lower(name, "replicas", config.num_replicas, replicas);
  if (roomOf(maxBytes) < roomOf(config.max_bytes)) throw lower(name, "maxBytes", config.max_bytes, maxBytes);
  if (replicas > config.num_replicas || roomOf(maxBytes) > roomOf(config.max_bytes))
    await streams.update(name, { num_replicas: replicas, max_bytes: maxBytes });
}

function roomOf(maxBytes: number): number {
  return maxBytes < 0 ? Infinity : maxBytes;
}

function lower(stream: string, option: keyof StreamLimits, there: number, asked: number): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected ${option} of at least ${there}, which the stream ${stream} has, found ${asked}. Nothing was changed.`,
    {
      recovery: `Leave ${option} out to keep what it has. Only the administrator of the servers gives a stream less: nats stream edit ${stream}.`,
      details: { stream, [option]: there },
    },
  );
}

/** Undefined where there is none. */
async function infoOf(
  packages: NatsPackages,
  { streams }: JetStream.JetStreamManager,
  name: string,
): Promise<JetStream.StreamInfo | undefined> {
  try {
    return await streams.info(name);
  } catch (e) {
    if (failureOf(packages, e).kind === "no stream") return undefined;
    throw e;
  }
}
