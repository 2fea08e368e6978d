/** Which files a merge driver of git is asked about, as lines for `info/attributes`. */
import { DRIVEN, DRIVERS } from "../../files/attributes.ts";

/** Folded files of packets beside those that the committed attributes name: most of their folders are not folded. */
const OF_PACKETS = ["inputs/*", "outputs/*.meta.json", "outputs/*.artifact.md", "outputs/_summary.md"];

/** Any folder of the repository may be a workspace. */
export const DRIVER_ATTRIBUTES: readonly string[] = [
  ...DRIVEN.map(({ pattern, driver }) => `**/.coco/${pattern} merge=${driver}`),
  ...["tasks", "archive"].flatMap((part) =>
    OF_PACKETS.map((name) => `**/.coco/${part}/*/${name} merge=${DRIVERS.folded}`),
  ),
  `**/.coco/README.md merge=${DRIVERS.overview}`,
];
