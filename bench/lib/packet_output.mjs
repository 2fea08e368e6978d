// Runs one stage whose servant prints so many bytes of a log. Prints the peak memory of this process, and the times of the
// stage and of the servant alone. Arguments: an empty folder, bytes.
import { readFileSync } from "node:fs";
import { PacketRoom, STAGES } from "./packet_room.mjs";

const [folder, bytes] = process.argv.slice(2);
const LINE = "2026-01-01T12:00:00Z info  compiled src/engine/world.ts in 12 ms, 38 of 38 tests passed";
const room = await PacketRoom.make(folder, `yes '${LINE}' | head -c ${bytes}`);

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

await room.bare();
const bare_ms = await timed(() => room.bare());
const stage_ms = await timed(() => room.run(STAGES[0]));
// getrusage keeps its peak across exec: it would name the size of the process that started this one.
const peak_kib =
  process.platform === "linux"
    ? Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "latin1"))[1])
    : process.resourceUsage().maxRSS;
await room.ws.close();
console.log(JSON.stringify({ peak_kib, stage_ms, bare_ms }));
