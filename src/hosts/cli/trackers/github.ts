/** GitHub issues: what `gh issue list --json` prints, or pages of the REST API. */
import { counted } from "../../../state/counted.ts";
import { boxIn, isChecked, linesOf } from "./checklist.ts";
import { Fields, isObject, saying, scalar } from "./fields.ts";
import type { Tracker, TrackerItem, TrackerState, TrackerStep } from "./item.ts";
import { newItem, newStep } from "./item.ts";
import { jsonLines, jsonOf, textOf, unreadable } from "./source_text.ts";

const ISSUE = /^https?:\/\/[^/]+\/(?:repos\/)?([^/]+\/[^/]+)\/issues\/\d+/;

export const github: Tracker = {
  name: "GitHub",
  prefix: "gh",
  places: ["issues.json"],
  ends: ".json",
  folders: [],
  read: (files) => {
    const rows = files.flatMap((file) =>
      rowsOf(textOf(file), file.path).map((row) => ({ of: new Fields(row), file: file.path })),
    );
    const issues = rows.filter(({ of }) => !of.has("pull_request"));
    const pulls = rows.length - issues.length;
    const plans = new Map<string, TrackerItem>();
    const items = issues.map(({ of, file }) => itemOf(of, file, plans));
    return {
      items: [...plans.values(), ...items],
      said: pulls === 0 ? [] : [`${counted(pulls, "pull request")} left out`],
    };
  },
};

/** One list, one issue, an issue a line, or a list for each page (`gh api --paginate --slurp`). */
function rowsOf(text: string, path: string): unknown[] {
  const end = text.indexOf("\n");
  const isLines = text.startsWith("{") && end > 0 && text.slice(0, end).trimEnd().endsWith("}");
  const whole = isLines ? jsonLines(text, path) : jsonOf(text, path);
  return Array.isArray(whole) ? whole.flat() : [whole];
}

function itemOf(of: Fields, file: string, plans: Map<string, TrackerItem>): TrackerItem {
  const number = of.text("number");
  if (!/^\d{1,15}$/.test(number))
    throw unreadable(file, "issues with a number", of.names().slice(0, 5).join(", ") || "another value");
  const url = of.text("html_url", "url");
  const repository = ISSUE.exec(url)?.[1] ?? "";
  const state = stateOf(of.text("state").toLowerCase(), of.text("stateReason", "state_reason").toLowerCase());
  const text = of.text("body");
  const comments = of
    .list("comments")
    .filter(isObject)
    .map((one) => new Fields(one));
  const id = repository === "" ? number : `${repository}#${number}`;
  of.skip("id", "node_id", "url", "html_url", "repository_url", "labels_url", "comments_url", "events_url");
  of.skip("timeline_url", "reactions", "reactionGroups", "closed", "assignee", "user", "performed_via_github_app");
  of.skip("sub_issues_summary", "issue_dependencies_summary", "author_association", "locked", "isPinned", "score");
  of.skip("projectCards", "projectItems", "closedByPullRequestsReferences", "active_lock_reason");
  return newItem({
    id,
    title: of.text("title"),
    text,
    state,
    status: [of.text("state"), of.text("stateReason", "state_reason")]
      .filter((one) => one !== "")
      .join(", ")
      .toLowerCase(),
    tags: of
      .list("labels")
      .map((one) => (isObject(one) ? new Fields(one).text("name") : scalar(one)))
      .filter((one) => one !== ""),
    plan: milestoneOf(of.object("milestone"), repository, plans),
    // A closed issue is done whatever its boxes say; they stay in its text.
    steps: state === "open" ? stepsIn(text) : [],
    notes: comments.map((one) => ({
      text: one.text("body"),
      by: person(one.object("author")) || person(one.object("user")),
      at: one.text("createdAt", "created_at"),
    })),
    facts: saying(
      ["Link", url],
      ["Author", person(of.object("author")) || person(of.object("user"))],
      [
        "Assignees",
        of
          .list("assignees")
          .map((one) => person(new Fields(one)))
          .join(", "),
      ],
      ["Type", of.object("type").text("name")],
      ["Created", of.text("createdAt", "created_at")],
      ["Updated", of.text("updatedAt", "updated_at")],
      ["Closed", of.text("closedAt", "closed_at")],
      ["Closed by", person(of.object("closed_by"))],
      ...of.rest(),
    ),
  });
}

function stateOf(state: string, reason: string): TrackerState {
  if (state !== "closed") return "open";
  return reason === "not_planned" || reason === "duplicate" ? "dropped" : "done";
}

function person(of: Fields): string {
  return of.text("login", "name");
}

function milestoneOf(of: Fields, repository: string, plans: Map<string, TrackerItem>): string | undefined {
  const title = of.text("title");
  if (title === "") return undefined;
  const id = `${repository}#milestone-${of.text("number") || title}`;
  const due = of.text("dueOn", "due_on");
  const link = of.text("html_url");
  plans.set(
    id,
    plans.get(id) ??
      newItem({ id, kind: "plan", title, text: of.text("description"), facts: saying(["Link", link], ["Due", due]) }),
  );
  return id;
}

function stepsIn(text: string): TrackerStep[] {
  const boxes = linesOf(text).flatMap(({ line, code }) => (code ? [] : (boxIn(line) ?? [])));
  return boxes.filter((box) => box.text !== "").map((box) => newStep(box.text, { done: isChecked(box) }));
}
