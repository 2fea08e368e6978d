import { changePacket, count } from "./packet_parts.ts";
import { oneOf, openObject, orNull, record, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

export const packetInputSet = defineEvent({
  type: "packet.input_set",
  doc: "A text below inputs/ was set, or taken away (null). Secrets and forbidden paths are masked before.",
  payload: openObject({
    path: text({ pattern: "^(user_request\\.md|context_pack\\.md|attachments/[^/]+)$" }),
    text: orNull(text()),
    sha256: orNull(text()),
    source: oneOf(["user", "brief", "import"]),
    redactions: record(count),
    message,
  }),
  undoable: false,
  undo: "Cannot be undone: set the input again.",
  apply: (entity, p, fact, w) => {
    changePacket(entity, w, fact, ({ inputs, removed_inputs: removed }) => {
      const others = inputs.filter(({ path }) => path !== p.path);
      const removed_inputs = removed.filter((path) => path !== p.path);
      if (p.text === null || p.sha256 === null) return { inputs: others, removed_inputs: [...removed_inputs, p.path] };
      const input = { path: p.path, text: p.text, sha256: p.sha256, source: p.source };
      return { inputs: [...others, input].toSorted((a, b) => (a.path < b.path ? -1 : 1)), removed_inputs };
    });
  },
});
