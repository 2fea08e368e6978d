/** A chunk of its own: every word in Chinese, and the forms of the engine's sentences. Half of the readers need none of it. */
import type { Words } from "../text/en.ts";
import { zh } from "../text/zh.ts";

export type ChineseChunk = Words;

Object.assign(globalThis, { taskfoldChinese: zh satisfies ChineseChunk });
