/** GitHub: what `gh issue list --json` prints, and pages of the REST API. */
import type { Said, Writing, Written } from "./writing.ts";
import { jsonText, saidOf, written } from "./writing.ts";

export function writeGithub(w: Writing): Written {
  const said: Said[] = [];
  const isRest = w.random.chance(0.5);
  const rows: Record<string, unknown>[] = [];
  for (let number = 1; number <= 1 + w.random.below(4); number++) {
    const issue = isRest ? restIssue(w, number) : ghIssue(w, number);
    const of = `acme/garden#${number}`;
    said.push(...saidOf(of, issue, ["milestone"]));
    const milestone = w.maybe(() => (isRest ? restMilestone(w, number) : ghMilestone(w, number)));
    if (milestone)
      for (const [name, value] of Object.entries(milestone))
        said.push({ of: `acme/garden#milestone-${number}`, field: `milestone.${name}`, value });
    rows.push({ ...issue, milestone: milestone ?? null });
  }
  if (isRest && w.random.chance(0.3)) rows.push({ ...restIssue(w, 99), pull_request: { url: w.word() } });
  const text = jsonText(w.random.chance(0.2) ? [rows] : rows, w.pick([0, 2]));
  return { path: "issues.json", files: new Map([["issues.json", text]]), said };
}

function ghPerson(w: Writing): Record<string, unknown> {
  return {
    id: w.word(),
    is_bot: false,
    login: w.word(),
    name: w.pick(["", w.line()]),
    databaseId: 100_000 + w.random.below(1000),
  };
}

function ghMilestone(w: Writing, number: number): Record<string, unknown> {
  return { number, title: w.line(), description: w.wild(), dueOn: w.stamp() };
}

function ghIssue(w: Writing, number: number): Record<string, unknown> {
  return written({
    number,
    title: w.line(),
    state: w.pick(["OPEN", "CLOSED"]),
    stateReason: w.maybe(() => w.pick(["", "COMPLETED", "NOT_PLANNED", "DUPLICATE", "REOPENED"])),
    body: w.wild(),
    url: `https://github.com/acme/garden/issues/${number}`,
    id: w.word(),
    author: w.maybe(() => ghPerson(w)),
    assignees: w.some(3, () => ghPerson(w)),
    labels: w.some(3, () => ({ id: w.word(), name: w.line(), description: w.text(), color: w.word() })),
    closed: false,
    closedAt: w.maybe(() => w.stamp()),
    createdAt: w.stamp(),
    updatedAt: w.stamp(),
    isPinned: w.random.chance(0.5),
    projectItems: w.some(2, () => ({ status: { optionId: w.word(), name: w.line() }, title: w.text() })),
    projectCards: w.some(2, () => ({ project: { name: w.word() }, column: { name: w.word() } })),
    closedByPullRequestsReferences: w.some(2, () => ({
      id: w.word(),
      number: 70_000 + w.random.below(100),
      url: w.word(),
      repository: { name: w.word(), owner: { login: w.word() } },
    })),
    reactionGroups: w.some(2, () => ({ content: w.word(), users: { totalCount: 60_000 + w.random.below(100) } })),
    comments: w.some(3, () => ({
      id: w.word(),
      author: { login: w.word() },
      authorAssociation: w.word(),
      body: w.wild(),
      createdAt: w.stamp(),
      includesCreatedEdit: false,
      isMinimized: w.random.chance(0.5),
      minimizedReason: w.word(),
      reactionGroups: w.some(2, () => ({ content: w.word(), users: { totalCount: 60_000 } })),
      url: w.word(),
      viewerDidAuthor: false,
    })),
    [w.word()]: w.value(),
  });
}

function restPerson(w: Writing): Record<string, unknown> {
  const urls = ["avatar_url", "url", "html_url", "followers_url", "repos_url"].map((name) => [name, w.word()]);
  return {
    login: w.word(),
    id: 100_000 + w.random.below(1000),
    node_id: w.word(),
    ...Object.fromEntries(urls),
    type: w.word(),
    site_admin: false,
  };
}

function restMilestone(w: Writing, number: number): Record<string, unknown> {
  return {
    url: w.word(),
    html_url: w.word(),
    labels_url: w.word(),
    id: 5,
    node_id: w.word(),
    number,
    state: w.word(),
    title: w.line(),
    description: w.wild(),
    creator: restPerson(w),
    open_issues: 40_001,
    closed_issues: 40_002,
    created_at: w.stamp(),
    updated_at: w.stamp(),
    closed_at: null,
    due_on: w.stamp(),
  };
}

function restIssue(w: Writing, number: number): Record<string, unknown> {
  const of = `acme/garden/issues/${number}`;
  const counts = w.random.chance(0.5) ? 0 : 30_001;
  return written({
    url: `https://api.github.com/repos/${of}`,
    repository_url: w.word(),
    labels_url: w.word(),
    comments_url: w.word(),
    events_url: w.word(),
    timeline_url: w.word(),
    html_url: `https://github.com/${of}`,
    id: 200_000 + number,
    node_id: w.word(),
    number,
    title: w.line(),
    user: restPerson(w),
    labels: w.some(3, () =>
      w.pick([
        w.line(),
        {
          id: 300_000,
          node_id: w.word(),
          url: w.word(),
          name: w.line(),
          color: w.word(),
          default: false,
          description: w.pick([null, w.text()]),
        },
      ]),
    ),
    state: w.pick(["open", "closed"]),
    state_reason: w.pick([null, "completed", "not_planned", "duplicate", "reopened"]),
    locked: w.random.chance(0.5),
    active_lock_reason: w.pick([null, w.word()]),
    assignee: w.pick([null, restPerson(w)]),
    assignees: w.some(2, () => restPerson(w)),
    comments: 20_000 + number,
    created_at: w.stamp(),
    updated_at: w.stamp(),
    closed_at: w.pick([null, w.stamp()]),
    closed_by: w.pick([null, restPerson(w)]),
    author_association: w.word(),
    type: w.pick([null, { id: 1, node_id: w.word(), name: w.word(), description: w.text(), color: w.word() }]),
    sub_issues_summary: { total: counts, completed: counts, percent_completed: counts },
    issue_dependencies_summary: { blocked_by: counts, blocking: counts },
    body: w.pick([null, w.wild()]),
    reactions: { url: w.word(), total_count: counts, "+1": counts, heart: 0 },
    performed_via_github_app: w.pick([null, { slug: w.word() }]),
    // As some programs write it for an issue.
    pull_request: w.random.chance(0.2) ? null : undefined,
    [w.word()]: w.value(),
  });
}
