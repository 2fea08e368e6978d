import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Language } from "../settings.ts";
import { en } from "./en.ts";
import type { Words } from "./en.ts";
import { zh } from "./zh.ts";

/** A reader in Dublin writes a date in another way than one in Boston: the browser says which. */
function localeOf(own: string): string {
  return navigator.languages.find((one) => one.slice(0, 2) === own.slice(0, 2)) ?? own;
}

export const WORDS: Record<Language, Words> = {
  en: { ...en, locale: localeOf(en.locale) },
  zh: { ...zh, locale: localeOf(zh.locale) },
};
export const WordsContext = createContext<Words>(en);

/** The words of the language that the reader chose. */
export function useWords(): Words {
  return useContext(WordsContext);
}
