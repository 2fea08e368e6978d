/** Packets for tests of the runner: a real repository, and servants that are real programs. */
import { internalsOf } from "../../src/engine/groups/internals.ts";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openWorkspace } from "../support/open.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { WorkspaceOptions } from "../../src/testing.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { BUILT_IN_CONFIG } from "../../src/rules/packet/built_in_config.ts";
import { runPacket } from "../../src/runner/dispatcher.ts";
import type { PacketRun, PacketRunOptions } from "../../src/runner/dispatcher.ts";
import type { PacketRunEvent } from "../../src/runner/packet_run_event.ts";
import type { JsonObject } from "../../src/state/json.ts";
import type { Packet } from "../../src/state/packet.ts";
import type { Servant, PacketConfig, ServantConfig } from "../../src/state/packet_config.ts";
import { ok } from "../support/workspace.ts";
import { git } from "../hosts/cli_support.ts";
import { MANIFEST, TASK } from "../packet/packet_support.ts";
import { tempFolder } from "../support/temp.ts";
import { SERVANTS } from "./stage_support.ts";

const ARGUMENTS: Record<Servant, Pick<ServantConfig, "command" | "prompt">> = {
  gemini: {
    command: [join(SERVANTS, "gemini.mjs"), "-m", "{model}", "--role", "{role}", "--prompt-file", "{prompt_file}"],
    prompt: "file",
  },
  codex: {
    command: [join(SERVANTS, "codex.mjs"), "exec", "--model", "{model}", "--role", "{role}", "-"],
    prompt: "stdin",
  },
  copilot: {
    command: [join(SERVANTS, "copilot.mjs"), "--model", "{model}", "--role", "{role}", "-p"],
    prompt: "argument",
  },
};

/** The built-in configuration with the servants of the tests in the place of the real ones. */
export function testConfig(more: Partial<Record<Servant, Partial<ServantConfig>>> = {}): PacketConfig {
  const config = structuredClone(BUILT_IN_CONFIG);
  for (const tool of ["gemini", "codex", "copilot"] as const)
    Object.assign(config.servants[tool], ARGUMENTS[tool], more[tool]);
  return config;
}

/** A servant that is a script of the shell; its prompt is on stdin. */
export function script(text: string, more: Partial<ServantConfig> = {}): Partial<ServantConfig> {
  return { command: ["sh", "-c", text], prompt: "stdin", ...more };
}

interface RoomOptions {
  /** Left out: the top of a new repository. */
  root?: string;
  manifest?: JsonObject;
  inputs?: Record<string, string>;
  servants?: Partial<Record<Servant, Partial<ServantConfig>>>;
  lock?: "os" | "lockfile";
}

function newRepository(): string {
  const root = tempFolder();
  git(root, "init", "-q");
  git(root, "commit", "-q", "--allow-empty", "-m", "begin");
  return root;
}

export class PacketRoom {
  readonly root: string;
  readonly config: PacketConfig;
  readonly ws: Workspace;
  readonly told: PacketRunEvent[] = [];

  readonly lock: "os" | "lockfile";

  private constructor(root: string, config: PacketConfig, lock: "os" | "lockfile") {
    this.root = root;
    this.config = config;
    this.lock = lock;
    this.ws = this.open();
  }

  static async make({
    manifest = {},
    inputs = {},
    servants = {},
    lock = "os",
    root,
  }: RoomOptions = {}): Promise<PacketRoom> {
    const room = new PacketRoom(root ?? newRepository(), testConfig(servants), lock);
    await ok(room.ws, "tasks_create", { kind: "task", title: "A packet" });
    const commands = { commands: ["true"], criteria: [] };
    await ok(room.ws, "packet_define", {
      task: TASK,
      manifest: { ...MANIFEST, acceptance: commands, ...manifest },
      inputs,
    });
    return room;
  }

  /** Another opening of the same root, as another process has it. */
  open(packet: PacketConfig | null = this.config, more: Partial<WorkspaceOptions> = {}): Workspace {
    const ws = openWorkspace({
      ...more,
      root: this.root,
      workspace: "acme/repo",
      git: () => openGit(this.root),
      lock: this.lock,
      ...(packet ? { packet } : {}),
    }) as Workspace;
    onTestFinished(() => ws.close());
    return ws;
  }

  run(more: Partial<PacketRunOptions> = {}, ws = this.ws): Promise<PacketRun> {
    return runPacket(ws, {
      task: TASK,
      allowCommands: true,
      retryPauseMs: 1,
      on: (event) => this.told.push(event),
      ...more,
    });
  }

  get packet(): Packet {
    return internalsOf(this.ws).packetAccess(TASK).packet();
  }

  get events(): { type: string; payload: JsonObject }[] {
    const lines = this.read("events.jsonl").trimEnd().split("\n");
    return lines.map((line) => JSON.parse(line) as { type: string; payload: JsonObject });
  }

  path(name: string): string {
    return join(this.root, ".coco/tasks", TASK, name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  done(): string[] {
    return readdirSync(this.path("done")).toSorted();
  }
}
