import { TaskfoldError } from "../../errors.ts";
import { messageOf } from "../../message.ts";
import type { Reply } from "./reply.ts";

/** Returns the result of a reply that succeeded; throws the error of one that did not, with its suggestions. */
export function unwrap<R>(reply: Reply<R>): R {
  if (reply.success) return reply.result;
  const { code, ...more } = reply.error;
  throw new TaskfoldError(code, messageOf(reply.error), { ...more, suggestions: reply.suggestions });
}
