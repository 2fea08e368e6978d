// @ts-check
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const TEXT = "Name the reporters in the changelog only if they said yes.";

/** @param {import("../stage.mjs").Stage} stage */
export async function hAPersonsNote(stage) {
  stage.section(
    "A person writes in a file",
    "No tool, no command: an editor saves shared/human-notes.md. The next agent is told.",
  );
  const folder = join(stage.repo, ".coco/tasks", stage.task);
  const notes = join(folder, "shared/human-notes.md");
  const written = `${readFileSync(notes, "utf8").trimEnd()}\n\n${TEXT}\n`;
  // As editors save: a file beside it, then a rename.
  writeFileSync(`${notes}~`, written);
  renameSync(`${notes}~`, notes);
  stage.show(`... ${TEXT}`);

  const log = () => readFileSync(join(folder, "events.jsonl"), "utf8");
  const before = log();
  const radar = (await stage.call("agent:cyd", "tasks_radar", { task: stage.task })).result.radar;
  stage.show(radar.next.join("\n"));
  stage.check(
    "radar says so first, and reading has written nothing",
    radar.next[0]?.includes("shared/human-notes.md") === true &&
      radar.next[0].includes("a person changed it") &&
      log() === before,
    radar.next[0],
  );
  const write = await stage.call("agent:cyd", "tasks_note", { task: stage.task, note: "agent:cyd takes over." });
  const [read, note] = (await stage.events(stage.task)).slice(-2);
  for (const event of [read, note]) stage.show(`${event?.by}  ${event?.message}`);
  stage.check(
    "the next change reads it into the log, before itself, and the caller is told",
    write.warnings.some(({ code }) => code === "NOTES_CHANGED") &&
      read?.type === "notes_changed" &&
      read.content === written &&
      note?.event_id === write.result.event.event_id,
    read ?? "",
  );
  stage.check("the file is as the person left it", readFileSync(notes, "utf8") === written, TEXT);
  const handoff = (await stage.call("human:mo", "tasks_handoff", { task: stage.task })).result.handoff;
  stage.check(
    "the handoff has the text",
    handoff.notes.some(
      (/** @type {{ by: string, text: string }} */ { by, text }) => by === "human" && text.includes(TEXT),
    ),
    handoff.notes.at(-1),
  );
}
