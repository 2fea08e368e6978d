// @ts-check
// `node examples/guarded_file_tools.mjs`: the file tools that an orchestrator gives its agents, behind the guard. A Taskdoc
// package shows in listings by its name; everything else about it is refused with the tool that is meant for it.
import { lstat, mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import {
  encapsulationError,
  filterListing,
  findPackagesUnder,
  isEncapsulatedPath,
  isTaskfoldError,
  taskdocPolicyCopy,
} from "taskfold";

/** @typedef {import("taskfold").FileOperation} FileOperation */
/** @typedef {{ name: string, kind: "file" | "folder" | "other", size: number }} Entry */

const GUARD = { isEncapsulatedPath, filterListing, findPackagesUnder };

/**
 * Six ordinary tools on one folder. Paths are relative to it; keeping them inside it is another matter, and not shown here.
 * @param {{ root: string, language?: "en" | "zh", workspace?: string, guard?: typeof GUARD }} options
 */
export function guardedFileTools({ root, language = "en", workspace, guard = GUARD }) {
  const on = { language, ...(workspace === undefined ? {} : { workspace }) };

  /** The one thing that every tool does first, with each path of its call. @param {FileOperation} operation @param {string} path */
  async function open(operation, path, content = "") {
    if (await guard.isEncapsulatedPath(path, { cwd: root }))
      throw encapsulationError(operation, path, operation === "write" ? { ...on, content } : on);
    return resolve(root, path);
  }

  /** For what takes a folder with all that is in it. @param {FileOperation} operation @param {string} path */
  async function openWhole(operation, path) {
    const at = await open(operation, path);
    const packages = await guard.findPackagesUnder(path, { cwd: root });
    if (packages.length > 0) throw encapsulationError(operation, path, { ...on, packages });
    return at;
  }

  /** @param {string} at @returns {Promise<Entry[]>} */
  async function entriesOf(at) {
    const names = (await readdir(at)).toSorted();
    return Promise.all(
      names.map(async (name) => {
        const stat = await lstat(join(at, name));
        return { name, kind: stat.isFile() ? "file" : stat.isDirectory() ? "folder" : "other", size: stat.size };
      }),
    );
  }

  return {
    /** @param {{ path: string }} input */
    read_file: async ({ path }) => readFile(await open("read", path), "utf8"),

    /** Makes the folders on the way. @param {{ path: string, content: string }} input */
    write_file: async ({ path, content }) => {
      const at = await open("write", path, content);
      await mkdir(dirname(at), { recursive: true });
      await writeFile(at, content);
    },

    /** @param {{ path: string }} input */
    list_dir: async ({ path }) => guard.filterListing(await entriesOf(await open("list", path))),

    /** @param {{ from: string, to: string }} input */
    move: async ({ from, to }) => {
      const source = await openWhole("move", from);
      await rename(source, await openWhole("move", to));
    },

    /** A folder with everything in it. @param {{ path: string }} input */
    delete: async ({ path }) => rm(await openWhole("delete", path), { recursive: true }),

    /** Lines that hold a text. Follows no links: what they lead to is found where it stands. @param {{ path: string, text: string }} input */
    grep: async ({ path, text }) => {
      /** @type {string[]} */
      const found = [];
      const ahead = [await open("search", path)];
      for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
        for (const entry of guard.filterListing(await entriesOf(at))) {
          if ("encapsulated" in entry || entry.kind === "other") continue;
          const inner = join(at, entry.name);
          if (entry.kind === "folder") ahead.push(inner);
          else {
            const lines = (await readFile(inner, "utf8")).split("\n");
            found.push(
              ...lines.flatMap((line, i) =>
                line.includes(text) ? [`${relative(root, inner)}:${i + 1}: ${line}`] : [],
              ),
            );
          }
        }
      }
      return found.toSorted();
    },
  };
}

/** The guide that an orchestrator shows its agents for these tools. @param {"en" | "zh"} language */
export function toolGuide(language) {
  const names = "`read_file`, `write_file`, `list_dir`, `move`, `delete`, `grep`";
  return (
    taskdocPolicyCopy(language) +
    (language === "zh" ? `\n本工作区的通用文件工具：${names}。\n` : `\nThe general file tools here: ${names}.\n`)
  );
}

if (process.argv[1] === import.meta.filename) {
  const root = await mkdtemp(join(tmpdir(), "taskfold-guarded-"));
  try {
    await mkdir(join(root, "plans/release.tsk/ux"), { recursive: true });
    await writeFile(join(root, "plans/release.tsk/goals.md"), "- ship version 2\n");
    await writeFile(join(root, "plans/release.tsk/ux/checklist.md"), "- the version is in the title\n");
    await writeFile(join(root, "plans/notes.md"), "version 2 is due in spring\n");

    const tools = guardedFileTools({ root, workspace: "acme/repo" });
    await show("list_dir plans", () => tools.list_dir({ path: "plans" }));
    await show("grep version", () => tools.grep({ path: ".", text: "version" }));
    await show("read_file plans/notes.md", () => tools.read_file({ path: "plans/notes.md" }));
    await show("read_file plans/release.tsk/ux/checklist.md", () =>
      tools.read_file({ path: "plans/release.tsk/ux/checklist.md" }),
    );
    await show("write_file plans/RELEASE.TSK/goals.md", () =>
      tools.write_file({ path: "plans/RELEASE.TSK/goals.md", content: "- nothing" }),
    );
    await show("delete plans", () => tools.delete({ path: "plans" }));
  } finally {
    await rm(root, { recursive: true });
  }
}

/** @param {string} call @param {() => Promise<unknown>} run */
async function show(call, run) {
  console.log(`> ${call}`);
  try {
    console.log(JSON.stringify(await run()));
  } catch (error) {
    if (!isTaskfoldError(error)) throw error;
    console.log(`${error.code}: ${error.message}`);
    console.log(`  ${error.recovery}`);
    for (const { tool, args } of error.suggestions) console.log(`  ${tool} ${JSON.stringify(args)}`);
  }
}
