import { readLine } from "./line.ts";
import { scan } from "./scan.ts";
import type { ByteSource } from "./source.ts";
import type { Event } from "./types.ts";

/** The event of ours that stands first in a log, its hash unproven; undefined without any. Reads no further than that line. */
export function firstEvent(source: ByteSource): Event | undefined {
  let first: Event | undefined;
  scan(source, { offset: 0, line: 1 }, (view) => {
    const line = readLine(view, { checkHash: false });
    if (line.kind === "own") first = line.event;
    return first === undefined;
  });
  return first;
}
