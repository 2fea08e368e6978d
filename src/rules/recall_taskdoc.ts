import type { Subject } from "../state/entity.ts";
import { sectionName, sectionOf } from "../state/taskdoc.ts";
import type { TaskdocSection } from "../state/taskdoc.ts";
import type { GivenTarget } from "../state/taskdoc_target.ts";
import { readTaskdocTarget, taskdocError } from "../state/taskdoc_target.ts";
import { sectionMissing } from "./change_mind.ts";
import { remedy, toolName } from "../remedy.ts";

/** Arguments in the order of `change_mind`; the three sections that every agent has before it are not recalled (TASKDOC-18). */
export function readRecall(input: GivenTarget): { category: string; selector: string } {
  const target = readTaskdocTarget(input);
  const { category, selector } = target;
  if (category !== null) return { category, selector };
  throw taskdocError(
    {
      code: "TASKDOC_SECTION_INJECTED",
      message: `Expected a section in a category, found ${sectionName(target)}, which is injected into every context.`,
      zh: `${sectionName(target)} 总会自动注入上下文，recall_taskdoc 不读取它。`,
    },
    input,
    remedy`Read it in the effective Taskdoc; ${toolName("recall_taskdoc")} is for sections with a category.`,
  );
}

/** Returns the section that a recall means; refused where it was never written, or was written in other letters. */
export function recallTaskdoc(subject: Subject, input: GivenTarget): TaskdocSection {
  const target = readRecall(input);
  const section = sectionOf(subject.entity.taskdoc, target);
  if (section?.category === target.category && section.selector === target.selector) return section;
  throw sectionMissing(subject, target);
}
