// Another process: it writes one note when it is told to, and says when it began.
import { openWorkspace } from "../../dist/index.js";
import { note } from "./workspaces.mjs";

const ws = openWorkspace({ root: process.argv[2] });
await note(ws);
process.send({});

process.on("message", async ({ end }) => {
  if (end) return ws.close().then(() => process.disconnect());
  const began = performance.timeOrigin + performance.now();
  await note(ws);
  process.send({ began });
});
