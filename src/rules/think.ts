/**
 * The `think` payload, in one place: its schema, and what becomes of it. Tools that take one (tasks_think, bootstrap,
 * macros) append these drafts to their own in the same op.
 */
import { TaskfoldError } from "../errors.ts";
import { remedy, toolName } from "../remedy.ts";
import type { Draft } from "../events/define.ts";
import { cardAdded } from "../events/card.added.ts";
import { stepNoted } from "../events/step.noted.ts";
import { traceAdded } from "../events/trace.added.ts";
import { LIMITS } from "../state/limits.ts";
import type { Card, CardStage } from "../state/reasoning.ts";
import { CARD_ID_PATTERN, CARD_STAGES, DEFAULT_CARD_STATUS } from "../state/reasoning.ts";
import type { Infer } from "../state/schema.ts";
import { boolean, either, list, object, oneOf, optional, text } from "../state/schema.ts";
import { oneLine, sentence } from "./phrase.ts";
import { checkText, checkTitle, cleanList, titleFrom } from "./text.ts";

const card = (description: string) =>
  optional(
    either(
      text({ description }),
      object({
        title: optional(text({ description: "Default: from text." })),
        text: optional(text()),
        tags: optional(list(text())),
        supports: optional(
          list(text({ pattern: CARD_ID_PATTERN }), {
            maxItems: LIMITS.supports,
            description: "Default: the card before.",
          }),
        ),
      }),
    ),
  );

/** The thoughts that a caller may give in one call. */
export const thinkProperties = {
  frame: card("The question."),
  hypothesis: card("The belief."),
  test: card("How that is found out."),
  evidence: card("The observation."),
  decision: card("The decision that follows."),
  status: optional(
    object(
      Object.fromEntries(CARD_STAGES.map((stage) => [stage, optional(text())])) as {
        [S in CardStage]: ReturnType<typeof optional<ReturnType<typeof text>>>;
      },
      { description: `A word on each card; ${DEFAULT_CARD_STATUS} when left out.` },
    ),
  ),
  note_decision: optional(boolean({ default: true, description: "Also write the decision down as a note." })),
  note_title: optional(text({ description: 'Heads that note; "Decision" when left out.' })),
  note_format: optional(oneOf(["text", "markdown"], { description: "Of that note. Default text." })),
};

/** As an input of bootstrap and macro_start. */
export const think = object(thinkProperties, {
  description: "Cards of reasoning, each supporting the one before it, and a note of the decision.",
});

export type ThinkInput = Infer<typeof think>;

export interface ThinkContext {
  /** Cards that are there; left out for what is only being made. */
  cards?: ReadonlyMap<string, Card>;
  newCardId: () => string;
  /** A step of thought that is no card. */
  trace?: string | undefined;
}

const WORDS: Record<CardStage, string> = {
  frame: "Framed the question",
  hypothesis: "Supposed",
  test: "Set a test",
  evidence: "Saw",
  decision: "Decided",
};

interface Laid {
  id: string;
  stage: CardStage;
  title: string;
  text: string;
}

/** INVALID_INPUT for a payload without anything in it or with a blank card, UNKNOWN_ID for a support that is not there. */
export function thinkDrafts(input: ThinkInput, { cards = new Map(), newCardId, trace }: ThinkContext): Draft[] {
  refuseStray(input);
  const drafts: Draft[] = [];
  let before: Laid | undefined;
  for (const stage of CARD_STAGES) {
    const given = input[stage];
    if (given === undefined) continue;
    const { tags = [], supports, ...content } = typeof given === "string" ? { text: given } : given;
    const laid: Laid = { id: newCardId(), stage, ...sayingOf(content, stage) };
    drafts.push(
      cardAdded.draft({
        card_id: laid.id,
        stage,
        title: laid.title,
        text: laid.text,
        status: statusOf(input, stage),
        tags: cleanList(tags, "tags"),
        supports: supports ? known(supports, cards, stage) : before ? [before.id] : [],
        message: sentence(WORDS[stage], laid.title),
      }),
    );
    before = laid;
    if (stage === "decision" && input.note_decision !== false) drafts.push(decisionNote(input, laid));
  }
  if (trace !== undefined) drafts.push(traceDraft(trace));
  if (drafts.length === 0) throw nothingThought();
  return drafts;
}

function sayingOf(content: { title?: string; text?: string }, stage: CardStage): { title: string; text: string } {
  const whole = checkText(content.text ?? "", `${stage}.text`);
  if (content.title !== undefined) return { title: checkTitle(content.title, `${stage}.title`), text: whole };
  if (whole.trim() === "") {
    throw new TaskfoldError("INVALID_INPUT", `Expected ${stage} to say something, found only blanks.`, {
      recovery: `Give ${stage} as a text, or as {title, text}.`,
    });
  }
  return { title: titleFrom(whole, `${stage}.text`), text: whole };
}

function statusOf({ status }: ThinkInput, stage: CardStage): string {
  const word = status?.[stage];
  return word === undefined ? DEFAULT_CARD_STATUS : checkTitle(word, `status.${stage}`);
}

function known(ids: readonly string[], cards: ReadonlyMap<string, Card>, stage: CardStage): string[] {
  for (const id of ids) {
    if (cards.get(id)?.gone === false) continue;
    throw new TaskfoldError("UNKNOWN_ID", `Expected ${stage}.supports to name cards that are there, found ${id}.`, {
      ...remedy`${toolName("tasks_resume_super")} lists the cards with their ids.`,
    });
  }
  return [...new Set(ids)];
}

/** Input that would have no effect is refused, not passed over. */
function refuseStray(input: ThinkInput): void {
  const stray = CARD_STAGES.find((stage) => input.status?.[stage] !== undefined && input[stage] === undefined);
  if (stray !== undefined) {
    throw new TaskfoldError("INVALID_INPUT", `Expected ${stray} beside status.${stray}, found none in this call.`, {
      recovery: `Give ${stray} as well, or leave its status out.`,
    });
  }
}

function decisionNote(input: ThinkInput, { title, text: body }: Laid): Draft {
  const heading = checkTitle(input.note_title ?? "Decision", "note_title");
  const rest = body === "" || oneLine(body, LIMITS.titleCodePoints) === title ? "" : `\n\n${body}`;
  const note = input.note_format === "markdown" ? `## ${heading}\n\n${title}${rest}` : `${heading}: ${title}${rest}`;
  return stepNoted.draft({
    step_id: null,
    note: checkText(note, "the note of the decision"),
    message: sentence("Noted the decision", title),
  });
}

function traceDraft(trace: string): Draft {
  if (checkText(trace, "trace").trim() === "") {
    throw new TaskfoldError("INVALID_INPUT", "Expected trace to say something, found only blanks.", {
      recovery: "Say in trace what was thought, or leave it out.",
    });
  }
  return traceAdded.draft({ text: trace, message: sentence("Thought", trace) });
}

function nothingThought(): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", `Expected at least one of ${CARD_STAGES.join(", ")}, found none.`, {
    recovery: 'Give at least one, such as {"hypothesis": "The cache is stale."}.',
  });
}
