/** The program of a thread of verify_places.ts. */
import type { MessagePort } from "node:worker_threads";
import { workerData } from "node:worker_threads";
import { Layout } from "../../files/layout.ts";
import { RootedDisk } from "../../rooted_disk.ts";
import { partsLeft } from "../core/parts_left.ts";
import { verifyPart } from "./verify_part.ts";
import type { VerifyWork } from "./verify_part.ts";

const { port, ...work } = workerData as VerifyWork & { port: MessagePort };
const { root, workspace, isListed, remote } = work;
const { places, turn } = work;
const disk = new RootedDisk(root);
const from = { context: { disk, layout: new Layout(root) }, workspace, isListed, remote };
for (const at of partsLeft(places.length, turn)) {
  port.postMessage(verifyPart(from, places, at));
  Atomics.add(turn, 1, 1);
  Atomics.notify(turn, 1);
}
disk.release();
