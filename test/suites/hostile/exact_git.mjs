// @ts-check
// Repositories that bring programs along for git to run (items 7 and 21): each leaves a marker when it is run.
import * as fs from "node:fs";
import { join } from "node:path";
import { git, remove } from "./world.mjs";

/** @typedef {import("./attack.mjs").Attack} Attack */
/** @typedef {import("./exact_links.mjs").Exact} Exact */

/** Everything that asks git. */
const OPERATIONS = [
  "verify --git",
  "resolve --dry-run",
  "resolve",
  "tasks_evidence_verify",
  "tasks_snapshot",
  "resolve --stage --git",
  "tasks_create with a key",
];
const ATTRIBUTES = ["filter=evil", "diff=evil", "merge=evil"].map((word) => `* ${word}\n.coco/** ${word}`).join("\n");
const HOOKS = [
  "post-index-change",
  "pre-commit",
  "reference-transaction",
  "post-checkout",
  "fsmonitor-watchman",
  "pre-auto-gc",
];

/**
 * Texts of `.git/config`; `<program>` leaves a marker, `<folder>` holds such programs under the names of hooks.
 * @type {Record<string, string>}
 */
const CONFIGS = {
  "core.fsmonitor": "[core]\n\tfsmonitor = <program>\n",
  "core.fsmonitor and the untracked cache":
    "[core]\n\tfsmonitor = <program>\n\tuntrackedCache = true\n[feature]\n\tmanyFiles = true\n",
  "filter.clean": '[filter "evil"]\n\tclean = <program>\n\tsmudge = <program>\n\trequired = true\n',
  "filter.process": '[filter "evil"]\n\tprocess = <program>\n\trequired = true\n',
  "diff.command": '[diff "evil"]\n\tcommand = <program>\n\ttextconv = <program>\n[diff]\n\texternal = <program>\n',
  "merge.driver": '[merge "evil"]\n\tdriver = <program>\n',
  "core.hooksPath": "[core]\n\thooksPath = <folder>\n",
  "core.sshCommand and a promisor":
    '[core]\n\trepositoryformatversion = 1\n\tsshCommand = <program>\n[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\turl = ssh://example.invalid/x\n\tpromisor = true\n\tpartialclonefilter = blob:none\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n',
  "an ext:: promisor":
    '[core]\n\trepositoryformatversion = 1\n[protocol "ext"]\n\tallow = always\n[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\turl = ext::<program>\n\tpromisor = true\n\tpartialclonefilter = blob:none\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n',
  "core.gitProxy, askPass and credential helper":
    '[core]\n\trepositoryformatversion = 1\n\tgitProxy = <program>\n\taskPass = <program>\n[credential]\n\thelper = <program>\n[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\turl = git://127.0.0.1:1/x\n\tpromisor = true\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n',
  "core.pager, editor and alternateRefsCommand":
    "[core]\n\tpager = <program>\n\teditor = <program>\n\talternateRefsCommand = <program>\n[pager]\n\tlog = <program>\n\tdiff = <program>\n",
  "gpg.program": "[gpg]\n\tprogram = <program>\n[log]\n\tshowSignature = true\n[commit]\n\tgpgSign = true\n",
  include: "[include]\n\tpath = evil.config\n",
};

/** A program that leaves a marker. @param {Attack} attack @param {string} name */
function program(attack, name) {
  const at = join(attack.world.own, `program-${name}`);
  const marker = attack.world.marker(name);
  fs.writeFileSync(at, `#!/bin/sh\necho run >> '${marker}'\nexit 1\n`, { mode: 0o755 });
  return at;
}

/** @param {Attack} attack @param {string} text */
function filled(attack, text) {
  const folder = join(attack.world.own, "hooks");
  fs.mkdirSync(folder, { recursive: true });
  for (const name of HOOKS) fs.copyFileSync(program(attack, "hook"), join(folder, name));
  return text.replaceAll("<program>", program(attack, "config")).replaceAll("<folder>", folder);
}

/** Something for git to look at: a file that differs, one that is new, a log that a commit took lines from. @param {string} root */
function changes(root) {
  const log = join(root, ".coco/tasks/TASK-002/events.jsonl");
  fs.appendFileSync(join(root, ".coco/tasks/TASK-001/shared/human-notes.md"), "changed\n");
  fs.writeFileSync(join(root, ".coco/tasks/TASK-001/agents/new.txt"), "new\n");
  fs.utimesSync(log, 1_700_000_000, 1_700_000_000);
}

/** @param {Attack} attack @param {(root: string) => void} plant */
async function archived(attack, plant) {
  await attack.planted((root) => {
    fs.writeFileSync(join(root, ".gitattributes"), `${ATTRIBUTES}\n`);
    changes(root);
    plant(root);
  });
  for (const name of OPERATIONS) await attack.operation(name);
}

/** By what the repository says. @type {Record<string, Exact>} */
export const GIT = {
  ...Object.fromEntries(
    Object.entries(CONFIGS).map(([name, text]) => [
      `.git/config with ${name}`,
      {
        item: 7,
        run: (/** @type {Attack} */ attack) =>
          archived(attack, (root) => {
            const config = join(root, ".git", "config");
            fs.appendFileSync(config, filled(attack, text));
            fs.writeFileSync(join(root, ".git", "evil.config"), filled(attack, CONFIGS["core.fsmonitor"] ?? ""));
          }),
      },
    ]),
  ),
  "hooks in .git": {
    item: 21,
    run: (attack) =>
      archived(attack, (root) => {
        const hooks = join(root, ".git", "hooks");
        fs.mkdirSync(hooks, { recursive: true });
        for (const name of HOOKS) fs.copyFileSync(program(attack, "hook"), join(hooks, name));
      }),
  },
  "a .git file that leads elsewhere": {
    item: 21,
    run: (attack) =>
      archived(attack, (root) => {
        const elsewhere = join(attack.world.own, "elsewhere");
        remove(elsewhere);
        fs.renameSync(join(root, ".git"), elsewhere);
        fs.appendFileSync(join(elsewhere, "config"), filled(attack, CONFIGS["core.fsmonitor"] ?? ""));
        fs.writeFileSync(join(root, ".git"), `gitdir: ${elsewhere}\n`);
      }),
  },
  ...Object.fromEntries(
    ["core.fsmonitor", "filter.clean", "core.hooksPath"].map((name) => [
      `a committed embedded bare repository with ${name}, below -C sub`,
      { item: 7, run: (/** @type {Attack} */ attack) => embedded(attack, CONFIGS[name] ?? "") },
    ]),
  ),
  "a `git` in the repository": {
    item: 7,
    run: async (attack) => {
      await attack.planted((root) => {
        for (const name of ["git", "git.exe", "git-ls-files"])
          fs.copyFileSync(program(attack, "path"), join(root, name));
        changes(root);
      });
      for (const name of OPERATIONS) await attack.operation(name);
    },
  },
  "GIT_* of the caller": {
    item: 7,
    run: async (attack) => {
      await attack.planted(changes);
      const names = ["GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_EDITOR"];
      const config = {
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "core.fsmonitor",
        GIT_CONFIG_VALUE_0: program(attack, "env"),
      };
      const env = { ...Object.fromEntries(names.map((name) => [name, program(attack, "env")])), ...config };
      Object.assign(process.env, env);
      try {
        for (const name of OPERATIONS) await attack.operation(name);
      } finally {
        for (const name of Object.keys(env)) delete process.env[name];
      }
    },
  },
  "150 MB of logs in a repository of 1 MB, verify --git": {
    item: 7,
    seconds: 60,
    run: async (attack) => {
      await attack.cloned((root) => {
        const log = join(root, ".coco/tasks/TASK-002/events.jsonl");
        const line = `{"ts":"2026-01-01T00:00:00Z","type":"other.event","taskId":"TASK-002","payload":{"text":"${"x".repeat(10_000)}"}}\n`;
        for (let i = 0; i < 15; i++) {
          fs.appendFileSync(log, line.repeat(1000));
          if (i % 5 === 4) {
            git(root, "add", "-A", "-f");
            git(root, "commit", "-q", "-m", `${i}`);
          }
        }
      });
      await attack.operation("verify --git");
    },
  },
};

/** @param {Attack} attack @param {string} text */
async function embedded(attack, text) {
  await attack.cloned(
    (root) => {
      const sub = join(root, "sub");
      fs.mkdirSync(sub);
      fs.cpSync(join(root, ".coco"), join(sub, ".coco"), { recursive: true });
      git(sub, "init", "-q", "--bare", "--template=", join(sub, "made"));
      for (const name of ["HEAD", "objects", "refs"]) fs.renameSync(join(sub, "made", name), join(sub, name));
      for (const name of ["objects", "refs"]) fs.writeFileSync(join(sub, name, "kept"), "");
      remove(join(sub, "made"));
      const core = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n";
      fs.writeFileSync(join(sub, "config"), core + filled(attack, text));
      fs.writeFileSync(join(sub, ".gitattributes"), `${ATTRIBUTES}\n`);
    },
    { at: "sub" },
  );
  for (const name of OPERATIONS) await attack.operation(name);
}
