/** Which workspace id `init` proposes for a folder (CLI-9). */
import { basename } from "node:path";
import { openRepository } from "../git/repository.ts";
import { nearestThere } from "./nearest_there.ts";

const LONGEST = 128;

/** `owner/repo` of the git remote origin, else the folder's name made safe. */
export function deriveWorkspaceId(root: string): { id: string; from: "remote" | "folder" } {
  const url = remoteOrigin(root);
  const id = url === undefined ? undefined : idOfRemote(url);
  return id === undefined ? { id: safe(basename(root)) || "workspace", from: "folder" } : { id, from: "remote" };
}

/** The URL of origin; undefined without git, outside a repository and without a remote of that name. */
export function remoteOrigin(root: string): string | undefined {
  return openRepository(nearestThere(root).path)?.says(["config", "--get", "remote.origin.url"]);
}

/**
 * `acme/repo` of `https://host/acme/repo.git`, `ssh://git@host/acme/repo` and `git@host:acme/repo.git`. Undefined for
 * paths: what a clone on this machine is called says nothing to others.
 */
export function idOfRemote(url: string): string | undefined {
  const withScheme = /^(?:https?|ssh|git):\/\/[^/]+\/(.+)$/i.exec(url)?.[1];
  // The part before the colon is a host: two characters at least, or it is a drive of Windows.
  const scpLike = /^(?:[^/@:]+@)?[^/@:]{2,}:(?!\/\/)(.+)$/.exec(url)?.[1];
  const path = withScheme ?? scpLike;
  if (path === undefined) return undefined;
  const parts = path
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split("/")
    .map(safe)
    .filter((part) => part !== "");
  return parts.length === 0 ? undefined : parts.join("/").slice(0, LONGEST);
}

/** Letters, digits, `._-`; beginning with a letter or digit. */
function safe(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+|-+$/g, "")
    .slice(0, LONGEST);
}
