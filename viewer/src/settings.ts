/** A reader's choices for this browser, kept in its storage. If it has none, they last as long as the page. */
import { store } from "./store.ts";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
export const LANGUAGES = ["en", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

function stored<T extends string>(key: string, among: readonly T[], otherwise: T): T {
  try {
    const kept = localStorage.getItem(`taskfold.${key}`);
    return among.find((one) => one === kept) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function keep(key: string, value: string): void {
  try {
    localStorage.setItem(`taskfold.${key}`, value);
  } catch {
    // A page opened from disk may have no storage; the choice then holds until the page is closed.
    return;
  }
}

function languageOfBrowser(): Language {
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

export const theme = store<Theme>(stored("theme", THEMES, "auto"));
export const language = store<Language>(stored("language", LANGUAGES, languageOfBrowser()));

export function chooseTheme(value: Theme): void {
  keep("theme", value);
  theme.set(value);
}

export function chooseLanguage(value: Language): void {
  keep("language", value);
  language.set(value);
}

/** Style sheets and screen readers look at the root element. */
export function followSettings(): void {
  const root = document.documentElement;
  theme.watch((value) => (root.dataset.theme = value));
  language.watch((value) => (root.lang = value === "zh" ? "zh-CN" : "en"));
}
