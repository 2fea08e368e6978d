/** The params that a method has to have. The SDK's own words about others are the raw text of its schema library. */
import { describeValue } from "../../engine/core/input/must_be_text.ts";

type Form = "text" | "object";
interface Params {
  needs?: Readonly<Record<string, Form>>;
  may?: Readonly<Record<string, Form>>;
}

const PAGE: Params = { may: { cursor: "text" } };
const URI: Params = { needs: { uri: "text" } };
const CALL: Params = { needs: { name: "text" }, may: { arguments: "object" } };

const PARAMS: Readonly<Record<string, Params>> = {
  initialize: { needs: { protocolVersion: "text", capabilities: "object", clientInfo: "object" } },
  "tools/list": PAGE,
  "tools/call": CALL,
  "prompts/list": PAGE,
  "prompts/get": CALL,
  "resources/list": PAGE,
  "resources/templates/list": PAGE,
  "resources/read": URI,
  "resources/subscribe": URI,
  "resources/unsubscribe": URI,
};

/** The params for the SDK, or what is wrong with them as a sentence. Null `arguments` are none: clients send them so. */
export function checkedParams(method: string, params: object | undefined): { params?: object } | { fault: string } {
  if (params === undefined && !Object.hasOwn(PARAMS, method)) return {};
  if (Array.isArray(params)) return { fault: faultWords(method, "params", "to be an object", "a list") };
  const { needs = {}, may = {} } = Object.hasOwn(PARAMS, method) ? PARAMS[method]! : {};
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
  return params === undefined ? {} : { params: given };
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
