import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { useChunk } from "../data/chunk.ts";
import type { Language } from "../settings.ts";
import { en } from "./en.ts";
import type { Words } from "./en.ts";

/** A reader in Dublin writes a date in another way than one in Boston: the browser says which. */
export function localeOf(language: Language): string {
  const own = { en: "en", zh: "zh-CN" }[language];
  return navigator.languages.find((one) => one.slice(0, 2) === own.slice(0, 2)) ?? own;
}

const ENGLISH: Words = { ...en, locale: localeOf("en") };
let chinese: Words | undefined;

/** The words of a language; undefined while they are on their way. A page that cannot load them has English ones. */
export function useWordsOf(language: Language): Words | undefined {
  const { chunk, refusal } = useChunk(language === "zh" ? "chinese" : null);
  if (language === "en" || refusal) return ENGLISH;
  return chunk && (chinese ??= { ...chunk.zh, locale: localeOf("zh") });
}

export const WordsContext = createContext<Words>(en);

/** The words of the language that the reader chose. */
export function useWords(): Words {
  return useContext(WordsContext);
}
