/** The program of a thread of verify_places.ts. */
import { nodeDisks } from "../../disks.ts";
import { Layout } from "../../files/layout.ts";
import { thisThread } from "../../node_runtime.ts";
import { partsLeft } from "../core/parts_left.ts";
import { verifyPart } from "./verify_part.ts";
import type { VerifyWork } from "./verify_part.ts";

const { work, tell } = thisThread();
const { root, workspace, isListed, remote, places, taken } = work as VerifyWork;
const { disk, release } = nodeDisks().below(root);
const from = { context: { disk, layout: new Layout(root) }, workspace, isListed, remote };
for (const at of partsLeft(places.length, taken)) tell(verifyPart(from, places, at));
release();
