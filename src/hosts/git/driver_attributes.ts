/** Which files a merge driver of git is asked about, as lines for `info/attributes`. */
import { MERGE_ATTRIBUTES } from "../../files/committed.ts";

export const DRIVERS = { log: "taskfold-log", folded: "taskfold", overview: "taskfold-overview" } as const;

/** Folded files of packets beside those that the committed attributes name: most of their folders are not folded. */
const OF_PACKETS = ["inputs/*", "outputs/*.meta.json", "outputs/*.artifact.md", "outputs/_summary.md"];

/** Any folder of the repository may be a workspace. */
export const DRIVER_ATTRIBUTES: readonly string[] = [
  ...MERGE_ATTRIBUTES.flatMap((line) => {
    const [path = "", ...words] = line.split(" ");
    if (words.includes("merge=union")) return [`**/.coco/${path} merge=${DRIVERS.log}`];
    return words.includes("-merge") ? [`**/.coco/${path} merge=${DRIVERS.folded}`] : [];
  }),
  ...["tasks", "archive"].flatMap((part) =>
    OF_PACKETS.map((name) => `**/.coco/${part}/*/${name} merge=${DRIVERS.folded}`),
  ),
  `**/.coco/README.md merge=${DRIVERS.overview}`,
];
