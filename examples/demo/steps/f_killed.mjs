// @ts-check
/** The attempts of the killed agent: each is one run of a program, and one change with its output as evidence. */
const TITLES = [
  "Crème Brûlée à Zürich",
  "Rock & Roll!",
  "  Ångström  ",
  "¿Qué?",
  "Smörgåsbord, 2nd ed.",
  "Façade / Résumé",
  "naïve -- déjà vu",
];
/** Killed when it says that it is about to write this one. */
const KILLED_AT = 4;

/** @param {import("../stage.mjs").Stage} stage */
export async function fKilled(stage) {
  stage.section(
    "An agent is killed",
    "SIGKILL in the middle of its work. Another process does the same job from the beginning, with the same keys.",
  );
  const created = await stage.call("human:mo", "tasks_create", {
    parent: stage.plan,
    title: "Try real titles",
    steps: [{ title: "Run every title", success_criteria: ["each gives a slug"], proof: { tests: "require" } }],
  });
  const { id } = created.result;
  const { cursor } = await stage.delta();

  const job = { phase: "titles", by: "agent:eve", task: id, path: "s:0", titles: TITLES };
  const [killed] = await stage.agents([{ ...job, kill_at: KILLED_AT }]);
  const acknowledged = ids(killed?.lines);
  const left = (await stage.events(id)).filter((event) => event.type === "evidence_captured");
  stage.show(
    `process ${killed?.pid}: ended by ${killed?.signal}, ${acknowledged.length} of ${TITLES.length} changes acknowledged`,
  );
  stage.check(
    "it died with work done and work left",
    killed?.signal === "SIGKILL" && acknowledged.length > 0 && left.length < TITLES.length,
    { signal: killed?.signal, acknowledged: acknowledged.length, "in the log": left.length },
  );
  stage.check(
    "what it was told is done is in the log",
    acknowledged.every((one) => left.some((event) => event.event_id === one)),
    { acknowledged: acknowledged.length, "in the log": left.length },
  );

  const [other] = await stage.agents([job]);
  const replayed = other?.lines.filter((line) => line.warnings.includes("REPLAYED")) ?? [];
  stage.show(`process ${other?.pid}: ${replayed.length} were there already, the rest done anew, then closed`);
  stage.check(
    "the other process carries on where the first was stopped",
    other?.code === 0 &&
      other.lines.every((line) => line.error === null) &&
      replayed.length === left.length &&
      replayed.every((line, i) => line.ids[0] === left[i]?.event_id),
    { replayed: replayed.length, calls: other?.lines.length },
  );
  const captured = (await stage.events(id)).filter((event) => event.type === "evidence_captured");
  const titles = captured.map((event) => event.items[0]?.title);
  stage.check(
    "nothing is lost and nothing is there twice",
    titles.join("\n") === TITLES.map((title) => `slug of ${title.trim()}`).join("\n"),
    titles.join("\n"),
  );

  stage.print("\n   Events since the earlier cursor, over the whole workspace:");
  const since = await stage.delta(cursor);
  for (const event of since.events) stage.show(`${event.task}  ${event.by}  ${event.message}`);
  stage.check(
    "the delta is exactly what the second process was answered, in order",
    since.events.map((event) => event.event_id).join() === ids(other?.lines).join(),
    `${since.events.length} events`,
  );
  const after = await stage.delta(since.cursor);
  stage.check("from its cursor there is nothing more", after.events.length === 0, `${after.events.length} events`);
  stage.git("add", ".");
  stage.git("commit", "--quiet", "-m", "Try real titles");
}

/** Ids of all events that were answered. @param {import("../stage.mjs").Line[]} [lines] @returns {string[]} */
function ids(lines = []) {
  return lines.flatMap((line) => line.ids);
}
