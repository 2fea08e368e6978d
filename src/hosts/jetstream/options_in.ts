/** A shared log as one text names it: on the command line, or in the environment. */
import { TaskfoldError } from "../../errors.ts";
import type { JetStreamOptions } from "./jetstream.ts";

const NAMES = ["mode", "blobs", "stream", "credentials", "replicas"];

/** `nats://a:4222,nats://b:4222?mode=merge&credentials=/path`. INVALID_INPUT names what is not known. */
export function jetstreamOptionsIn(text: string): JetStreamOptions {
  const at = text.indexOf("?");
  const servers = (at < 0 ? text : text.slice(0, at)).split(",").map((server) => server.trim());
  const given = new URLSearchParams(at < 0 ? "" : text.slice(at + 1));
  const unknown = [...given.keys()].find((name) => !NAMES.includes(name));
  if (unknown !== undefined)
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected ${NAMES.join(", ")} behind the servers of a shared log, found ${JSON.stringify(unknown)}.`,
      { recovery: 'For example: --shared "nats://127.0.0.1:4222?mode=strict".' },
    );
  const { mode, blobs, stream, credentials, replicas } = Object.fromEntries(given);
  return {
    servers,
    ...(mode === undefined ? {} : { mode: mode as NonNullable<JetStreamOptions["mode"]> }),
    ...(blobs === undefined ? {} : { blobs: blobs as NonNullable<JetStreamOptions["blobs"]> }),
    ...(stream === undefined ? {} : { stream }),
    ...(credentials === undefined ? {} : { credentials }),
    ...(replicas === undefined ? {} : { replicas: Number(replicas) }),
  };
}
