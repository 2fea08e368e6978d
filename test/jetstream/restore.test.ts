/** What docs/cluster.md says of backups: a folder of a stopped server, and the folders of any machine. */
import { cpSync } from "node:fs";
import { expect, describe, it, onTestFinished } from "vitest";
import { natsServer as startServer } from "../support/nats_servers.mjs";
import { filesOf, machine } from "../support/machines.ts";
import { tempFolder } from "../support/temp.ts";
import { code, newTask, notesOf, ok, WORKSPACE } from "../support/workspace.ts";

async function serverIn(folder: string) {
  const server = await startServer(folder);
  onTestFinished(server.kill);
  return server;
}

describe("a shared log that was restored", () => {
  for (const [name, copied] of [
    ["from an older copy of a stopped server", true],
    ["from nothing but the folders of machines", false],
  ] as const) {
    it(`[SHARED-13] [SHARED-20] ${name} takes no change before a machine has left and published again`, async () => {
      const [data, restored] = [tempFolder(), tempFolder()];
      const server = await serverIn(data);
      const a = machine(server.url);
      await a.shared.init(WORKSPACE);
      const id = await newTask(a);
      await ok(a, "tasks_note", { task: id, note: "one" });
      const b = machine(server.url);
      await b.shared.sync(WORKSPACE);
      await a.close();
      await b.close();
      await server.kill();
      if (copied) cpSync(data, restored, { recursive: true });
      await server.start();
      const later = machine(server.url, { root: a.root });
      await ok(later, "tasks_note", { task: id, note: "two" });
      await later.close();
      await server.kill();

      const { url } = await serverIn(restored);
      const first = machine(url, { root: a.root });
      const refusal = await code(first, "tasks_note", { task: id, note: "not yet" });
      expect(refusal).toBe(copied ? "SHARED_REPLACED" : "SHARED_UNAVAILABLE");
      await first.shared.leave();
      const again = machine(url, { root: a.root });
      await again.shared.init(WORKSPACE);
      await ok(again, "tasks_note", { task: id, note: "three" });

      await machine(url, { root: b.root }).shared.leave();
      const second = machine(url, { root: b.root });
      await second.shared.sync(WORKSPACE);
      expect(notesOf(b.root, id)).toEqual(["one", "two", "three"]);
      expect(filesOf(b.root)).toEqual(filesOf(a.root));
      expect(second.verify().findings).toEqual([]);
    });
  }
});
