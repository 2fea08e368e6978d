/** GitHub issues: what `gh issue list --json` prints, or pages of the REST API. */
import { boxesIn, isChecked } from "./checklist.ts";
import type { Fields } from "./fields.ts";
import { saying } from "./fields.ts";
import type { Tracker, TrackerItem, TrackerState, TrackerStep } from "./item.ts";
import { newItem, newStep, withRest } from "./item.ts";
import type { LeftOut } from "./left_out.ts";
import { noteOf } from "./note.ts";
import { itemsOf } from "./records.ts";
import { jsonRecords, unreadable } from "./source_text.ts";

const ISSUE = /^https?:\/\/[^/]+\/(?:repos\/)?([^/]+\/[^/]+)\/issues\/\d+/;
/** Names of the API for the same issue, and addresses that follow from its link. */
const OF_THE_API = [
  "id",
  "node_id",
  "repository_url",
  "labels_url",
  "comments_url",
  "events_url",
  "timeline_url",
  "performed_via_github_app",
  "score",
];

export const github: Tracker = {
  name: "GitHub",
  fields: { title: "title", text: "body", steps: "body", tests: "body", notes: "comments" },
  prefix: "gh",
  places: ["issues.json"],
  ends: ".json",
  folders: [],
  read: (files) => {
    const leftOut: LeftOut[] = [];
    const records = files.flatMap((file) => jsonRecords(file, leftOut));
    const plans = new Map<string, TrackerItem>();
    const items = itemsOf(records, leftOut, (of, where) => {
      // The REST API has an object there for a pull request; other programs write null for an issue.
      if (of.objects("pull_request").length === 0) return [issueOf(of, where, plans)];
      leftOut.push({ kind: "pull_request", name: `#${of.text("number")} ${of.text("title")}` });
      return [];
    });
    return { items: [...plans.values(), ...items], leftOut };
  },
};

function issueOf(of: Fields, where: string, plans: Map<string, TrackerItem>): TrackerItem {
  const number = of.text("number");
  if (!/^\d{1,15}$/.test(number))
    throw unreadable(where, "issues with a number", of.names().slice(0, 5).join(", ") || "another value");
  const url = of.text("html_url", "url");
  if (of.text("html_url") !== "") of.skip("url");
  of.skip("closed", ...OF_THE_API);
  skipFalse(of, "locked", "isPinned");
  for (const counts of ["reactions", "sub_issues_summary", "issue_dependencies_summary"]) skipZeros(of, counts);
  const [author, user] = [people(of, "author"), people(of, "user")];
  const [assignees, assignee] = [people(of, "assignees"), people(of, "assignee")];
  const repository = ISSUE.exec(url)?.[1] ?? "";
  const reason = of.text("stateReason", "state_reason");
  const state = stateOf(of.text("state").toLowerCase(), reason.toLowerCase());
  const text = of.text("body");
  const item = newItem({
    id: repository === "" ? number : `${repository}#${number}`,
    title: of.text("title"),
    text,
    state,
    status: [of.text("state"), reason].filter((one) => one !== "").join(", "),
    tags: labelsOf(of),
    plan: milestoneOf(of.object("milestone"), repository, plans),
    // A closed issue is done whatever its boxes say; they stay in its text.
    steps: state === "open" ? stepsIn(text) : [],
    notes: of.objects("comments").map((one) => {
      skipFalse(one, "isMinimized");
      one.skip("id", "node_id", "issue_url", "viewerDidAuthor", "includesCreatedEdit", "performed_via_github_app");
      const [author, user] = [people(one, "author"), people(one, "user")];
      return noteOf(one, { text: one.text("body"), by: author || user, at: one.text("createdAt", "created_at") });
    }),
    facts: saying(
      ["Link", url, "url"],
      ["Author", author || user, author === "" ? "user" : "author"],
      ["Assignees", assignees || assignee, "assignees"],
      ["Type", of.object("type").text("name"), "type"],
      ["Created", of.text("createdAt", "created_at")],
      ["Updated", of.text("updatedAt", "updated_at")],
      ["Closed", of.text("closedAt", "closed_at")],
      ["Closed by", people(of, "closed_by")],
    ),
  });
  return withRest(item, of, {});
}

function stateOf(state: string, reason: string): TrackerState {
  if (state !== "closed") return "open";
  return reason === "not_planned" || reason === "duplicate" ? "dropped" : "done";
}

/** A label's own description and color are of the repository. */
function labelsOf(of: Fields): string[] {
  const labels = of.objects("labels").map((label) => {
    const name = label.text("name");
    label.skipRest();
    return name;
  });
  return [...of.texts("labels"), ...labels].filter((one) => one !== "");
}

/** Each by the name on GitHub, and by their own name where that is another. Addresses of the API are left out. */
function people(of: Fields, name: string): string {
  const all = of.objects(name).map((one) => {
    const [login, own] = [one.text("login"), one.text("name")];
    one.skipRest();
    return login === "" || own === "" || login === own ? login || own : `${login} (${own})`;
  });
  return all.filter((one) => one !== "").join(", ");
}

function skipFalse(of: Fields, ...names: string[]): void {
  for (const name of names) if (of.is(name, false)) of.skip(name);
}

/** Counts that are all zero say nothing. */
function skipZeros(of: Fields, name: string): void {
  const counts = of.object(name);
  counts.skip("url");
  if (counts.rest().every(({ text }) => text === "0")) counts.skipRest();
}

function milestoneOf(of: Fields, repository: string, plans: Map<string, TrackerItem>): string | undefined {
  const title = of.text("title");
  if (title === "") return undefined;
  const id = `${repository}#milestone-${of.text("number") || title}`;
  const item = newItem({
    id,
    kind: "plan",
    title,
    text: of.text("description"),
    facts: saying(["Link", of.text("html_url")], ["Due", of.text("dueOn", "due_on")]),
  });
  of.skip("id", "node_id", "url", "labels_url", "creator");
  const plan = withRest(item, of, {});
  const named = (field: string): string => `milestone.${field}`;
  if (!plans.has(id)) plans.set(id, { ...plan, unplaced: plan.unplaced.map(named), skipped: plan.skipped.map(named) });
  return id;
}

function stepsIn(text: string): TrackerStep[] {
  return boxesIn(text).boxes.map((box) => {
    const [title = "", ...more] = box.text.split("\n");
    return newStep(title, { done: isChecked(box), criteria: more.length === 0 ? [] : [box.text] });
  });
}
