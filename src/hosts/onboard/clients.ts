/** Where each client keeps its MCP servers and start hooks, and in which form (docs/clients.md). */
import type { JsonValue } from "./json_tree.ts";
import { hookLine, powershellLine, startedBy } from "./start_command.ts";
import type { Started } from "./start_command.ts";

export const CLIENTS = ["claude-code", "codex", "gemini", "cursor", "vscode", "copilot", "opencode"] as const;
export type ClientName = (typeof CLIENTS)[number];

/** An entry depends on these. `command` starts Taskfold in this repository. */
export interface Setting {
  workspace: string;
  command: string;
}

export interface JsonFile {
  form: "json";
  /** The first one that is there is changed, else the first is made. */
  paths: readonly [string, ...string[]];
  path: readonly string[];
  key?: string;
  /** Members that stand first in a file that is made. */
  head?: Readonly<Record<string, JsonValue>>;
  /** By this text an item of a list is known that a person changed. */
  sign?: string;
  value: (setting: Setting) => JsonValue;
}

export interface TomlFile {
  form: "toml";
  paths: readonly [string];
  table: readonly string[];
  body: (setting: Setting) => string;
}

interface Client {
  title: string;
  /** Files and folders by which it is recognised. */
  traces: readonly string[];
  files: readonly (JsonFile | TomlFile)[];
  /** The hook that may keep its agent from stopping, where the client has one. */
  stop?: JsonFile;
  /** The next action of a person. */
  next: string;
}

const SERVER = "taskfold";

function started(client: ClientName, ...more: string[]): (setting: Setting) => Started {
  return ({ workspace, command }) =>
    startedBy(command, ["mcp", ...more, "--workspace", workspace, "--toolset", "daily", "--by", `agent:${client}`]);
}

/** `mcpServers` of most clients. */
function mcpServers(path: string, value: JsonFile["value"]): JsonFile {
  return { form: "json", paths: [path], path: ["mcpServers"], key: SERVER, value };
}

/** By these words a hook of ours is known, whatever starts it. */
const PRIME = "prime --hook";
const STOP = "prime --stop-hook";

/** `form`: what the client takes in, where that is not the form of Claude Code. */
function hookWords(hook: string, client: ClientName, form?: "cursor" | "copilot"): string {
  return `${hook}${form === undefined ? "" : ` ${form}`} --by agent:${client}`;
}

/** In the form of Claude Code, which Codex and Gemini CLI have, too. They show their agent what a start hook says on stdout. */
function startHook(client: ClientName, path: string): JsonFile {
  return commandHook(path, "SessionStart", PRIME, ({ command }) =>
    hookLine(command, hookWords(PRIME, client), "stdout"),
  );
}

function stopHook(client: ClientName, path: string): JsonFile {
  return commandHook(path, "Stop", STOP, ({ command }) => hookLine(command, hookWords(STOP, client), "stderr"));
}

function commandHook(path: string, event: string, sign: string, line: (setting: Setting) => string): JsonFile {
  return {
    form: "json",
    paths: [path],
    path: ["hooks", event],
    sign,
    value: (setting) => ({ hooks: [{ type: "command", command: line(setting) }] }),
  };
}

/** In a file of hooks that says its version. */
function versionedHook(path: string, hook: JsonFile["value"], event = "sessionStart", sign = PRIME): JsonFile {
  return {
    form: "json",
    paths: [path],
    path: ["hooks", event],
    head: { version: 1 },
    sign,
    value: hook,
  };
}

/** The editor puts the folder of the workspace in its place. */
const IN_FOLDER = ["--root", "${workspaceFolder}"];

export const CLIENT: Record<ClientName, Client> = {
  "claude-code": {
    title: "Claude Code",
    traces: [".claude", "CLAUDE.md", ".mcp.json"],
    files: [mcpServers(".mcp.json", started("claude-code")), startHook("claude-code", ".claude/settings.json")],
    stop: stopHook("claude-code", ".claude/settings.json"),
    next: "start claude here, and agree to the server of .mcp.json",
  },
  codex: {
    title: "Codex",
    traces: [".codex"],
    files: [
      {
        form: "toml",
        paths: [".codex/config.toml"],
        table: ["mcp_servers", SERVER],
        body: (setting) => {
          const { command, args } = started("codex")(setting);
          const list = args.map((one) => JSON.stringify(one)).join(", ");
          return [`[mcp_servers.${SERVER}]`, `command = ${JSON.stringify(command)}`, `args = [${list}]`].join("\n");
        },
      },
      startHook("codex", ".codex/hooks.json"),
    ],
    stop: stopHook("codex", ".codex/hooks.json"),
    next: "start codex here, trust the project and, by /hooks, its start hook: it reads .codex of no other",
  },
  gemini: {
    title: "Gemini CLI",
    traces: [".gemini", "GEMINI.md"],
    files: [mcpServers(".gemini/settings.json", started("gemini")), startHook("gemini", ".gemini/settings.json")],
    next: "start gemini here, and trust the folder; /mcp lists the server",
  },
  cursor: {
    title: "Cursor",
    traces: [".cursor", ".cursorrules"],
    files: [
      mcpServers(".cursor/mcp.json", started("cursor", ...IN_FOLDER)),
      versionedHook(".cursor/hooks.json", ({ command }) => ({
        command: hookLine(command, hookWords(PRIME, "cursor", "cursor"), "stderr"),
      })),
    ],
    stop: versionedHook(
      ".cursor/hooks.json",
      ({ command }) => ({ command: hookLine(command, hookWords(STOP, "cursor", "cursor"), "stderr"), loop_limit: 2 }),
      "stop",
      STOP,
    ),
    next: "turn the server on in the settings of Cursor",
  },
  vscode: {
    title: "VS Code",
    traces: [".vscode"],
    files: [
      {
        form: "json",
        paths: [".vscode/mcp.json"],
        path: ["servers"],
        key: SERVER,
        value: (setting) => ({ type: "stdio", ...started("vscode", ...IN_FOLDER)(setting) }),
      },
    ],
    next: "open .vscode/mcp.json, and start the server there",
  },
  copilot: {
    title: "Copilot CLI",
    traces: [".github/copilot-instructions.md", ".github/mcp.json"],
    files: [
      mcpServers(".github/mcp.json", (setting) => ({ type: "local", ...started("copilot")(setting), tools: ["*"] })),
      versionedHook(".github/hooks/taskfold.json", ({ command }) => ({
        type: "command",
        bash: hookLine(command, hookWords(PRIME, "copilot", "copilot"), "stderr"),
        powershell: powershellLine(command, hookWords(PRIME, "copilot", "copilot")),
      })),
    ],
    next: "start copilot here; the cloud agent takes the entry from the settings of the repository on GitHub",
  },
  opencode: {
    title: "OpenCode",
    traces: ["opencode.json", "opencode.jsonc", ".opencode"],
    files: [
      {
        form: "json",
        paths: ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
        path: ["mcp"],
        key: SERVER,
        value: (setting) => {
          const { command, args } = started("opencode")(setting);
          return { type: "local", command: [command, ...args], enabled: true };
        },
      },
    ],
    next: "start opencode here",
  },
};
