/** `taskfold verify`: the report itself is the document, so that `findings` stands at its top (CLI-16). */
import { EXIT } from "../../errors.ts";
import { findingsText, hasFaults } from "./findings_text.ts";
import type { Outcome } from "./outcome.ts";
import type { Session } from "./session.ts";

export function verify(session: Session, id: string | undefined): Promise<Outcome> {
  return session.within((workspace) => {
    const report = workspace.verify(id);
    const { entities, events, findings } = report;
    const faults = findings.filter((finding) => !finding.info).length;
    const sum = `${entities} logs, ${events} events: ${faults === 0 ? "all is well" : `${faults} findings`}\n`;
    return {
      exit: hasFaults(findings) ? EXIT.refused : EXIT.ok,
      json: report,
      human: () => ({ out: findingsText(findings) + sum, err: "" }),
    };
  });
}
