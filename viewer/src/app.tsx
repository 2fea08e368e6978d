/** The frame of every page: navigation, settings, what is live, and the keys that work anywhere. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { address, go, hrefOf, replace } from "./address.ts";
import type { Address, Page } from "./address.ts";
import { useAnswer } from "./data/answers.ts";
import { announcedIds } from "./data/changed_ids.ts";
import { liveState } from "./data/live.ts";
import { names } from "./data/names.ts";
import { Help } from "./help.tsx";
import { isTyping } from "./is_typing.ts";
import { BoardPage } from "./pages/board.tsx";
import { EntityPage } from "./pages/entity.tsx";
import { NowPage } from "./pages/now.tsx";
import { PlansPage } from "./pages/plans.tsx";
import { Boundary } from "./parts/boundary.tsx";
import { InChunk } from "./parts/in_chunk.tsx";
import { Icon } from "./parts/icon.tsx";
import type { IconName } from "./parts/icon.tsx";
import { Moment } from "./parts/moment.tsx";
import { NoPage } from "./parts/states.tsx";
import { Search } from "./search.tsx";
import { chooseLanguage, chooseTheme, language, LANGUAGES, theme, THEMES } from "./settings.ts";
import { useStore } from "./store.ts";
import { useNarrow } from "./use_narrow.ts";
import { useWords, useWordsOf, WordsContext } from "./text/words.ts";

const NAVIGATION: { page: Page; icon: IconName; marks: readonly Page[] }[] = [
  { page: "now", icon: "ready", marks: ["now"] },
  { page: "board", icon: "board", marks: ["board", "task"] },
  { page: "plans", icon: "plan", marks: ["plans", "plan"] },
  { page: "agents", icon: "agent", marks: ["agents"] },
  { page: "health", icon: "health", marks: ["health"] },
];

/** Pages of one plan or task. */
const OF_ONE: ReadonlySet<Page> = new Set(["task", "plan", "time", "nowhere"]);

export function App(): JSX.Element | null {
  const words = useWordsOf(useStore(language));
  // After a switch the page keeps the words that it has until the others are there.
  const shown = useRef(words);
  shown.current = words ?? shown.current;
  if (!shown.current) return null;
  return (
    <WordsContext.Provider value={shown.current}>
      <Frame />
    </WordsContext.Provider>
  );
}

function Frame(): JSX.Element {
  const words = useWords();
  const place = useStore(address);
  const main = useRef<HTMLElement>(null);
  const [dialog, setDialog] = useState<"help" | "search">();
  const close = (): void => setDialog(undefined);
  const { value: workspace } = useAnswer(names.workspace);
  const name = workspace?.id ?? workspace?.name ?? "";
  const { page, id } = place;
  const { value: pastOf } = useAnswer(page === "time" && id !== "" ? names.entity(id) : null);
  // The past of a plan or task is marked where the plan or task is.
  const marked = page === "time" ? (pastOf?.kind ?? page) : page;
  useEffect(() => {
    document.title = words.app.title(id || words.pages[page], name);
  }, [words, page, id, name]);
  // A file about one plan or task has its page and its past, and no page of the others.
  const only = workspace?.only;
  useKeys(setDialog, Boolean(only));
  useEffect(() => {
    if (only && !OF_ONE.has(page)) replace(hrefOf("task", only));
  }, [only, page]);
  const pages = only
    ? ([
        { page: "task", icon: "task", marks: ["task", "plan"] },
        { page: "time", icon: "clock", marks: ["time"] },
      ] as const)
    : NAVIGATION;
  // A phone has no room for the pages beside the name: they stand in the menu, where none is cut.
  const isInMenu = useNarrow() && !only;
  const navigation = (
    <nav aria-label={words.app.main}>
      <ul class="bare">
        {pages.map((item) => (
          <li key={item.page}>
            <a
              href={hrefOf(item.page, only ?? "")}
              aria-current={item.marks.some((one) => one === (only ? page : marked)) ? "page" : undefined}
            >
              <Icon name={item.icon} />
              <span>{item.page === "task" ? only : words.pages[item.page]}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
  const shown = useRef(`${page} ${id}`);
  useEffect(() => {
    if (shown.current === `${page} ${id}`) return;
    shown.current = `${page} ${id}`;
    main.current?.focus({ preventScroll: true });
    main.current?.scrollTo(0, 0);
    scrollTo(0, 0);
  }, [page, id]);
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {words.app.skip}
      </a>
      <header class="top">
        <a class="brand" href={only ? hrefOf("task", only) : hrefOf("now")}>
          <Mark />
          <span>Taskfold</span>
          <span class="workspace">{name}</span>
        </a>
        {!isInMenu && navigation}
        <div class="settings">
          <Live exportedAt={workspace?.exported_at ?? null} />
          <Settings openHelp={() => setDialog("help")}>{isInMenu && navigation}</Settings>
          {!only && (
            <button
              type="button"
              class="button icon-only"
              aria-label={words.search.title}
              title={`${words.search.title} (/)`}
              onClick={() => setDialog("search")}
            >
              <Icon name="search" />
            </button>
          )}
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1} class={page === "board" ? "main full" : "main"}>
        {only && id !== only && (
          <p class="notice">
            {words.app.only} <a href={hrefOf("task", only)}>{only}</a>
          </p>
        )}
        <LiveHint />
        <Boundary place={place}>
          <PageOf place={place} />
        </Boundary>
      </main>
      <Announcer />
      {dialog === "help" && <Help isAboutOne={Boolean(only)} close={close} />}
      {dialog === "search" && <Search close={close} />}
    </>
  );
}

function PageOf({ place: { page, id } }: { place: Address }): JSX.Element {
  switch (page) {
    case "now":
      return <NowPage />;
    case "board":
      return <BoardPage />;
    case "plans":
      return <PlansPage />;
    case "plan":
    case "task":
      return <EntityPage key={id} id={id} />;
    case "time":
      return <InChunk name="time">{({ TimePage }) => <TimePage key={id} id={id} />}</InChunk>;
    case "agents":
      return <InChunk name="agents">{({ AgentsPage }) => <AgentsPage />}</InChunk>;
    case "health":
      return <InChunk name="health">{({ HealthPage }) => <HealthPage />}</InChunk>;
    case "nowhere":
      return <NoPage />;
  }
}

/** Two sheets, one folded over the other. */
function Mark(): JSX.Element {
  return (
    <svg class="mark-logo" viewBox="0 0 24 24" aria-hidden="true">
      <path class="back" d="M4 3h11l5 5v13H4z" />
      <path class="front" d="M15 3v5h5M8 13l3 3 5-6" />
    </svg>
  );
}

function Live({ exportedAt }: { exportedAt: string | null }): JSX.Element {
  const { app } = useWords();
  const state = useStore(liveState);
  return (
    <span class={`live ${state}`} role="status">
      <span class="dot" aria-hidden="true" />
      {app.live[state]} {exportedAt && <Moment ts={exportedAt} as="short" />}
    </span>
  );
}

/**
 * Holds what a reader wants once: theme, language and the list of keys. A click beside the menu or Escape closes it. On a narrow page the
 * pages stand in it, too, as its children.
 */
function Settings({ openHelp, children }: { openHelp: () => void; children: ComponentChildren }): JSX.Element {
  const { app } = useWords();
  const label = children ? app.menu : app.settings;
  const menu = useRef<HTMLDivElement>(null);
  const chosenTheme = useStore(theme);
  const chosenLanguage = useStore(language);
  return (
    <>
      <button type="button" class="button icon-only" popovertarget="settings" aria-label={label} title={label}>
        <Icon name={children ? "plan" : "system"} />
      </button>
      <div ref={menu} id="settings" popover="auto" class="panel settings-menu" role="group" aria-label={label}>
        {children && <div onClick={() => menu.current?.hidePopover()}>{children}</div>}
        <label class="field">
          <span>{app.theme}</span>
          <select
            value={chosenTheme}
            onChange={(event) => chooseTheme(THEMES.find((one) => one === event.currentTarget.value) ?? "auto")}
          >
            {THEMES.map((one) => (
              <option key={one} value={one}>
                {app.themes[one]}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>{app.language}</span>
          <select
            value={chosenLanguage}
            onChange={(event) => chooseLanguage(LANGUAGES.find((one) => one === event.currentTarget.value) ?? "en")}
          >
            <option value="en" lang="en">
              English
            </option>
            <option value="zh" lang="zh-CN">
              中文
            </option>
          </select>
        </label>
        <button
          type="button"
          class="button"
          onClick={() => {
            // The focus goes back to the button of the menu, and from the dialog there again.
            menu.current?.hidePopover();
            openHelp();
          }}
        >
          <Icon name="keys" /> {app.keys} <kbd>?</kbd>
        </button>
      </div>
    </>
  );
}

/** For a reader of a server that answers and tells no changes: the way out. */
function LiveHint(): JSX.Element | null {
  const { app } = useWords();
  const hint = app.liveHint[useStore(liveState)];
  return hint === undefined ? null : <p class="notice amber live-hint">{hint}</p>;
}

/** Ids in one word to screen readers. */
const MAX_ANNOUNCED = 5;
/** A word to screen readers about what changed, not for each of a hundred changes in a second. */
function Announcer(): JSX.Element {
  const { app, count } = useWords();
  const ids = useStore(announcedIds);
  const more = ids.length - MAX_ANNOUNCED;
  const names = ids.slice(0, MAX_ANNOUNCED).join(", ");
  const text = ids.length === 0 ? "" : app.changed(more > 0 ? `${names}, ${count.more(more)}` : names);
  return (
    <div class="visually-hidden" aria-live="polite">
      {text}
    </div>
  );
}

/** Pages of all plans and tasks, by their keys. */
const OF_ALL = {
  n: hrefOf("now"),
  b: hrefOf("board"),
  p: hrefOf("plans"),
  a: hrefOf("agents"),
  h: hrefOf("health"),
};

/** Two keys after each other, `g` first, go to a page; `?` lists all of them. A file about one has no search and no page of all. */
function useKeys(open: (dialog: "help" | "search") => void, isAboutOne: boolean): void {
  const waits = useRef(false);
  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      // A dialog has the keys to itself.
      const isBeside = document.querySelector("dialog[open]") !== null;
      if (!isAboutOne && (event.ctrlKey || event.metaKey) && event.key === "k") {
        if (!isBeside) open("search");
        event.preventDefault();
      }
      if (isBeside) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target)) {
        if (event.key === "Escape") (event.target as HTMLElement).blur();
        return;
      }
      const { page, id } = address.get();
      const goes: Record<string, string | undefined> = {
        ...(!isAboutOne && OF_ALL),
        t: (page === "task" || page === "plan") && id ? hrefOf("time", id) : undefined,
      };
      const target = waits.current ? goes[event.key] : undefined;
      waits.current = event.key === "g" && !waits.current;
      if (target) go(target);
      else if (event.key === "?") open("help");
      else if (event.key === "/" && !isAboutOne) open("search");
      else if (event.key === "T") chooseTheme(isDark() ? "light" : "dark");
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [isAboutOne]);
}

function isDark(): boolean {
  const chosen = theme.get();
  return chosen === "dark" || (chosen === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
}
