import { TaskfoldError } from "../../errors.ts";
import type { Reply } from "./reply.ts";

/** Returns the result of a reply that succeeded; throws the error of one that did not, with its suggestions. */
export function unwrap<R>(reply: Reply<R>): R {
  if (reply.success) return reply.result;
  const { code, message, ...more } = reply.error;
  throw new TaskfoldError(code, message, { ...more, suggestions: reply.suggestions });
}
