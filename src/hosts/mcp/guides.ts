/** The guides by phase, as resources. */
import type { Resource } from "@modelcontextprotocol/server";
import type { Workspace } from "../../engine/workspace.ts";
import { GUIDES, guideText, isGuide } from "../onboard/guides.ts";
import type { GuideName } from "../onboard/guides.ts";
import { OF_PACKAGE, startCommandOf } from "../onboard/start_command.ts";

const URI = /^taskfold:\/\/guide\/([^/]+)$/;

export const GUIDE_RESOURCES: Resource[] = Object.entries(GUIDES).map(([name, { title, about }]) => ({
  uri: `taskfold://guide/${name}`,
  name: `guide ${name}`,
  title,
  description: about,
  mimeType: "text/markdown",
}));

/** Undefined for a URI of another kind, and for a guide that there is none of. */
export function guideIn(uri: string): GuideName | undefined {
  const [, name = ""] = URI.exec(uri) ?? [];
  return isGuide(name) ? name : undefined;
}

/** Its calls name this workspace; undefined where no root can be used. */
export function guideOf(name: GuideName, workspace: Workspace | undefined): string {
  return guideText(name, {
    workspace: workspace?.id ?? "<workspace>",
    command: workspace ? startCommandOf(workspace.root) : OF_PACKAGE,
  });
}
