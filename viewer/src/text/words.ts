import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Language } from "../settings.ts";
import { en } from "./en.ts";
import type { Words } from "./en.ts";
import { zh } from "./zh.ts";

export const WORDS: Record<Language, Words> = { en, zh };
export const WordsContext = createContext<Words>(en);

/** The words of the language that the reader chose. */
export function useWords(): Words {
  return useContext(WordsContext);
}
