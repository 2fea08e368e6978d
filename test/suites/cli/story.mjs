// @ts-check
// The commands that people type, one after the other in one repository: every command of the program has a screen of it.

/**
 * @typedef {object} Screen
 * @property {string} name of its golden file
 * @property {string} run what is typed
 * @property {{ prompt: string, keys: string[] }[]} [dialog] on a terminal
 * @property {string} [pipe] what is typed where there is no terminal to ask; leaves the same behind
 */

const MANIFEST = {
  task_id: "read-once",
  goal: "Read the configuration once",
  routing: { intent: "safe_impl" },
  scope: { allow: ["src/"], deny: ["src/secret/"] },
  acceptance: { commands: ["true"], criteria: ["the file is opened once"] },
  budgets: { retry_budget: 1, paid_call_budget: 6, max_wallclock_sec: 60 },
  context: { digest_policy: "auto" },
};

/** The small servants stand in `../servants`. @param {string} tool @param {string[]} args @param {string} prompt */
const servant = (tool, args, prompt) =>
  JSON.stringify({
    tool,
    command: ["node", `../servants/${tool}.mjs`, ...args],
    prompt,
    default_model: "m-1",
    allowed_models: ["m-1"],
    purpose_models: {},
    paid: true,
    timeout_sec: 60,
    transient_exit_codes: [13],
  });

/** Beside the repository, which stands in `repo`. @type {Record<string, string>} */
export const FILES = {
  "manifest.yaml": JSON.stringify(MANIFEST),
  "own/codex.yaml":
    'tool: codex\ncommand: [codex, exec, --model, "{model}", "-"]\nprompt: stdin\ndefault_model: m-1\nallowed_models: [m-1]\n',
  "configs/servant/codex.yaml": servant("codex", ["exec", "--model", "{model}", "--role", "{role}", "-"], "stdin"),
  "configs/servant/gemini.yaml": servant(
    "gemini",
    ["-m", "{model}", "--role", "{role}", "--prompt-file", "{prompt_file}"],
    "file",
  ),
  "configs/servant/copilot.yaml": servant("copilot", ["--model", "{model}", "--role", "{role}", "-p"], "argument"),
  "brief.md": "## Summary\n\nRead it once.\n",
  "todo.md": "# Garden\n\n- [ ] Water the plants\n- [x] Buy a hose\n",
  "old.tsk.md": "# Goals\n\nEvery sample parses.\n",
  "home/.zshrc":
    "autoload -Uz compinit; compinit -u; unsetopt always_last_prompt prompt_sp; PS1='> '; source ~/completion.zsh\n",
  "repo/src/a.js": "x\n",
  "repo/pack.md": "## 0. Goal\n\nRead it once.\n\n## Verify Commands\n\n```sh\ntest -f src/a.js\n```\n",
  "repo/report.md": "Done.\n",
};

/**
 * The commands between the screens; `only` where there is a terminal.
 * @type {(Screen | { shell: string, only?: "terminal" })[]}
 */
export const STORY = [
  {
    shell:
      "git init -q -b main && git remote add origin git@example.com:acme/repo.git && git add . && git commit -qm Begin",
  },
  {
    name: "init",
    run: "taskfold init",
    dialog: [
      { prompt: "Workspace id", keys: ["Enter"] },
      { prompt: "Ids: ", keys: ["x", "Enter"] },
      { prompt: "Expected number or suffix", keys: ["number", "Enter"] },
      { prompt: "Proof that steps need", keys: ["Enter"] },
      { prompt: "Clients of agents", keys: ["Enter"] },
      { prompt: "Completion of bash", keys: ["Enter"] },
      { prompt: "Merge driver of this clone", keys: ["no", "Enter"] },
    ],
    pipe: "taskfold init",
  },
  { name: "plan_add", run: 'taskfold plan add "Version 2"' },
  {
    name: "add",
    run: 'taskfold add "A parser for every sample" --plan PLAN-001 --step "Write the grammar" --criteria "every sample parses" --test "npm test" --step "Write the parser" --test "npm test" --priority HIGH --tag parser',
  },
  {
    name: "add_asks",
    run: "taskfold add --depends-on 1",
    dialog: [{ prompt: "Title of the task:", keys: ["Describe the grammar", "Enter"] }],
    pipe: 'taskfold add "Describe the grammar" --depends-on 1',
  },
  {
    name: "add_interrupted",
    run: "taskfold add",
    dialog: [{ prompt: "Title of the task:", keys: ["C-c"] }],
    pipe: "taskfold add",
  },
  { shell: 'taskfold add "Ask three people what they miss" -q && git add . && git commit -qm Tasks' },
  { name: "list", run: "taskfold list" },
  { name: "ready", run: "taskfold ready" },
  { name: "claim", run: "taskfold claim 1 grammar --for 2h" },
  { name: "note", run: 'taskfold note 1 "else is ambiguous" --step grammar' },
  { shell: 'echo "echo 1 of 9 failed; exit 1" > check.sh' },
  { name: "run_failed", run: "taskfold run 1 grammar --for tests -- sh check.sh" },
  { name: "done_refused", run: "taskfold done 1 grammar" },
  { shell: 'echo "echo 9 of 9 passed" > check.sh' },
  { name: "run_close", run: "taskfold run 1 grammar --close -- sh check.sh" },
  { name: "block", run: 'taskfold block 1 --reason "waits for the licence"' },
  { name: "show", run: "taskfold show 1" },
  { name: "status", run: "taskfold status" },
  { name: "board", run: "taskfold board" },
  { name: "search", run: "taskfold search grammar" },
  { name: "search_nothing", run: "taskfold search moon" },
  { name: "whoami", run: "taskfold whoami" },
  { name: "prime", run: "taskfold prime" },
  { name: "radar", run: "taskfold radar 1" },
  { name: "radar_plan", run: "taskfold radar plan-1" },
  { name: "handoff", run: "taskfold handoff 1" },
  { name: "unblock", run: "taskfold unblock 1" },
  { name: "reopen", run: "taskfold reopen 1 grammar --reason 'one sample more'" },
  { name: "edit", run: "taskfold edit 2 --priority LOW" },
  { name: "edit_editor", run: "EDITOR='sed -i s/grammar/language/' taskfold edit 2" },
  { name: "undo", run: "taskfold undo 2" },
  { name: "redo", run: "taskfold redo 2" },
  { name: "history", run: "taskfold history 1" },
  { name: "delta", run: "taskfold delta --limit 6" },
  { name: "log", run: "taskfold log 1 --limit 6" },
  { name: "open", run: "taskfold open 1 view --print" },
  { name: "done", run: "taskfold done 1 grammar --confirm gate" },
  { shell: "taskfold claim 1 parser -q" },
  { name: "release", run: "taskfold release" },
  { name: "done_last", run: "taskfold done 1 parser --confirm gate" },
  { name: "complete", run: "taskfold complete 1" },
  { name: "diff", run: "taskfold diff" },
  { name: "archive", run: "taskfold archive 1" },
  { name: "list_archived", run: "taskfold list --archived" },
  { name: "search_archived", run: "taskfold search ambiguous --archived" },
  { name: "restore", run: "taskfold restore 1" },
  {
    name: "rm",
    run: "taskfold rm 3",
    dialog: [{ prompt: "?", keys: ["yes", "Enter"] }],
    pipe: "taskfold rm 3 --yes",
  },
  {
    name: "watch",
    run: "taskfold watch",
    dialog: [{ prompt: "Ctrl-C ends", keys: ["C-c"] }],
    // The note comes once the system tells the process of changes, and the process ends once it has printed that.
    pipe: "taskfold watch >../seen & until ls -l /proc/$!/fd 2>/dev/null | grep -q inotify; do sleep 0.1; done; taskfold note 2 'seen at once' -q >/dev/null; until grep -q seen ../seen; do sleep 0.1; done; kill -INT $!; wait $!; cat ../seen",
  },
  { shell: "taskfold note 2 'seen at once' -q", only: "terminal" },
  {
    name: "view",
    run: "taskfold view",
    dialog: [{ prompt: "Ctrl-C ends it", keys: ["C-c"] }],
    pipe: "taskfold view --export ../pages",
  },
  { name: "verify", run: "taskfold verify" },
  { shell: "echo mine >> .coco/tasks/TASK-001/README.md" },
  { name: "doctor", run: "taskfold doctor" },
  { name: "doctor_fix", run: "taskfold doctor --fix" },
  { name: "rebuild", run: "taskfold rebuild" },
  { name: "git_install", run: "taskfold git install --hooks" },
  { name: "git_status", run: "taskfold git status" },
  { name: "git_run", run: "taskfold git run -- branch --show-current" },
  { name: "git_uninstall", run: "taskfold git uninstall" },
  // Without a server: npm run test:shared has real ones.
  { name: "shared_status", run: "taskfold shared status" },
  {
    shell:
      "git add . && git commit -qm Day && git switch -qc other && taskfold edit 2 --title 'The language' -q && git commit -qam Title && git switch -q main && taskfold edit 2 --title 'Our language' -q && git commit -qam Other && ! git merge -q other",
  },
  { name: "resolve", run: "taskfold resolve --stage" },
  { name: "status_conflict", run: "taskfold status" },
  { shell: "git commit -qm Merge && taskfold edit 2 --title 'The language' -q" },
  {
    shell: `taskfold call tasks_focus_set '{"target":"TASK-002"}' && taskfold call change_mind '{"task":"TASK-002","selector":"goals","content":"Every sample parses."}'`,
  },
  { name: "taskdoc_show", run: "taskfold taskdoc show" },
  { name: "taskdoc_history", run: "taskfold taskdoc history" },
  { name: "taskdoc_adopt_edits", run: "taskfold taskdoc adopt-edits 2" },
  { name: "taskdoc_import", run: "taskfold taskdoc import ../old.tsk.md 1 --dry-run" },
  { name: "call", run: `taskfold call tasks_note '{"task":"TASK-002","note":"from a script"}'` },
  // The list of all tools holds their texts, which docs/tools.md has already.
  { name: "tools", run: "taskfold tools tasks_note" },
  { name: "import", run: "taskfold import markdown ../todo.md" },
  { name: "export", run: "taskfold export markdown" },
  { shell: "cp -r ../coco/* .coco/tasks/" },
  { name: "adopt", run: "taskfold adopt task-2f61da5b5ec7488eb79fc983790aa10c" },
  { name: "onboard", run: "taskfold onboard --client codex --dry-run" },
  { name: "completion", run: "taskfold completion bash" },
  {
    shell:
      "mkdir -p ~/.config/fish/completions && taskfold completion fish > ~/.config/fish/completions/taskfold.fish && taskfold completion zsh > ~/completion.zsh",
  },
  { name: "completion_fish", run: "fish --command \"complete --do-complete 'taskfold done TASK-001 '\"" },
  {
    name: "completion_zsh",
    run: "zsh",
    dialog: [
      { prompt: ">", keys: ["taskfold done TASK-001 ", "Tab"] },
      { prompt: "s:", keys: ["Tab"] },
      { prompt: "Write the parser", keys: ["C-u", "exit", "Enter"] },
    ],
    pipe: "taskfold __complete -- done TASK-001 ''",
  },
  { name: "help", run: "taskfold help" },
  { name: "help_topic", run: "taskfold help proof" },
  { name: "help_command", run: "taskfold help done" },
  { name: "mcp", run: "taskfold mcp < /dev/null" },
  { name: "packet_validate", run: "taskfold packet validate ../manifest.yaml" },
  { name: "packet_create", run: "taskfold packet create ../manifest.yaml --config ../configs" },
  { name: "packet_plan", run: "taskfold packet plan read-once" },
  { name: "packet_next", run: "taskfold packet next read-once" },
  { name: "packet_compose", run: "taskfold packet compose read-once gemini_brief" },
  { name: "packet_start", run: "taskfold packet start read-once gemini_brief" },
  { name: "packet_finish", run: "taskfold packet finish read-once gemini_brief --exit-code 0 --out ../brief.md" },
  { name: "packet_reset_budget", run: "taskfold packet reset-budget read-once retry_budget --reason 'a second look'" },
  { name: "packet_run", run: "taskfold packet run read-once --allow-commands --progress 0 --config ../configs" },
  { name: "packet_reopen", run: "taskfold packet reopen read-once gemini_brief --reason 'more to say'" },
  { name: "packet_export", run: "taskfold packet export read-once ../exported" },
  { name: "packet_import", run: "taskfold packet import .coco/tasks/read-once" },
  { name: "packet_archive", run: "taskfold packet archive read-once" },
  { name: "packet_restore", run: "taskfold packet restore read-once" },
  {
    name: "packet_review",
    run: "taskfold packet review pack.md report.md ../reviewed --config ../configs --allow-commands --progress 0",
  },
  { name: "packet_export_review", run: "taskfold packet export-review 4 ../reviewed-again" },
  { name: "packet_init_scripts", run: "taskfold packet init-scripts" },
  { shell: "mkdir -p configs && cp -r ../own configs/servant" },
  { name: "packet_trust", run: "taskfold packet trust" },
  { shell: "taskfold call tasks_focus_clear" },
  {
    shell:
      "git add . && git commit -qm Evening && taskfold add 'Count the samples' --step Count --test 'sh check.sh' -q && git add . && git commit -qm Samples",
  },
  { name: "prove_listed", run: "taskfold prove --git-base HEAD~1" },
  { name: "prove", run: "taskfold prove --git-base HEAD~1 --allow-commands" },
  {
    shell:
      "ssh-keygen -q -t ed25519 -N '' -f ../key && printf '%s %s\\n' ana@example.org \"$(cat ../key.pub)\" > ../allowed_signers",
  },
  { name: "attest", run: "taskfold attest --key ../key" },
  { name: "sign", run: "taskfold sign PLAN-001 --key ../key" },
  { name: "verify_signers", run: "taskfold verify 5 --signers ../allowed_signers" },
];
