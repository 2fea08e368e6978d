/** The params that a method has to have. The SDK's own words about others are the raw text of its schema library. */
import { describeValue } from "../../engine/core/input/must_be_text.ts";

type Form = "text" | "object";
interface Params {
  needs?: Readonly<Record<string, Form>>;
  may?: Readonly<Record<string, Form>>;
  /** Whether its list is one page, so that no answer gave a cursor. */
  isOnePage?: boolean;
}

const PAGE: Params = { may: { cursor: "text" } };
const ONE_PAGE: Params = { ...PAGE, isOnePage: true };
const URI: Params = { needs: { uri: "text" } };
const CALL: Params = { needs: { name: "text" }, may: { arguments: "object" } };

const PARAMS: Readonly<Record<string, Params>> = {
  initialize: { needs: { protocolVersion: "text", capabilities: "object", clientInfo: "object" } },
  "tools/list": ONE_PAGE,
  "tools/call": CALL,
  "prompts/list": ONE_PAGE,
  "prompts/get": CALL,
  "resources/list": PAGE,
  "resources/templates/list": ONE_PAGE,
  "resources/read": URI,
  "resources/subscribe": URI,
  "resources/unsubscribe": URI,
};

/** The params for the SDK, or what is wrong with them as a sentence. Null `arguments` are none: clients send them so. */
export function checkedParams(method: string, params: object | undefined): { params?: object } | { fault: string } {
  if (params === undefined && !Object.hasOwn(PARAMS, method)) return {};
  if (Array.isArray(params)) return { fault: faultWords(method, "params", "to be an object", "a list") };
  const { needs = {}, may = {}, isOnePage = false } = Object.hasOwn(PARAMS, method) ? PARAMS[method]! : {};
  const { arguments: inner, ...others }: Readonly<Record<string, unknown>> = { ...params };
  const given = "arguments" in may && inner === null ? others : { ...params };
  for (const [name, form] of Object.entries({ ...needs, ...may })) {
    const value = given[name as keyof typeof given];
    const isLeftOut = value === undefined && !(name in needs);
    if (isLeftOut || hasForm(value, form)) continue;
    const expected = form === "text" ? "to be a text" : "to be an object";
    return {
      fault: faultWords(method, `params.${name}`, expected, value === undefined ? "none" : describeValue(value)),
    };
  }
  const { cursor, _meta: meta } = given as { cursor?: string; _meta?: unknown };
  if (isOnePage && cursor !== undefined) {
    const found = JSON.stringify(cursor.slice(0, 80));
    return { fault: faultWords(method, "no params.cursor", "because its list is one page", found) };
  }
  const fault = meta === undefined ? undefined : metaFault(method, meta);
  if (fault !== undefined) return { fault };
  return params === undefined ? {} : { params: given };
}

const RELATED_TASK = "io.modelcontextprotocol/related-task";

/** The member of `_meta` that is not as the protocol has it. */
function metaFault(method: string, meta: unknown): string | undefined {
  const of = (at: string, expected: string, value: unknown): string =>
    faultWords(method, `params._meta${at}`, expected, describeValue(value));
  if (!hasForm(meta, "object")) return of("", "to be an object", meta);
  const { progressToken: token, [RELATED_TASK]: task } = meta as Readonly<Record<string, unknown>>;
  const isToken = token === undefined || typeof token === "string" || Number.isSafeInteger(token);
  if (!isToken) return of(".progressToken", "to be a text or a whole number", token);
  const isTask =
    task === undefined || (hasForm(task, "object") && hasForm((task as { taskId?: unknown }).taskId, "text"));
  return isTask ? undefined : of(`["${RELATED_TASK}"]`, "to be an object with taskId, a text", task);
}

/** The sentence about params in which the SDK finds another fault. */
export function otherFault(method: string, at = "params"): string {
  return faultWords(method, at, "as the protocol has them", "others");
}

function faultWords(method: string, what: string, expected: string, found: string): string {
  return `INVALID_INPUT: Expected ${what} of ${method.slice(0, 100)} ${expected}, found ${found}; nothing was done.`;
}

function hasForm(value: unknown, form: Form): boolean {
  if (form === "text") return typeof value === "string";
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
