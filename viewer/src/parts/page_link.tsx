import type { ComponentChildren, JSX } from "preact";
import { hrefOf, hrefOfEntity } from "../address.ts";
import type { Page } from "../address.ts";
import type { Query } from "../address_text.ts";
import { useAnswer } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { useWords } from "../text/words.ts";

interface PageLinkProps {
  page: Page;
  query?: Query;
  class?: string;
  title?: string;
  children: ComponentChildren;
}

/** Leads to a page of the whole workspace. A file about one plan or task has no such page: the words stand there without a link. */
export function PageLink({ page, query, title, children, ...more }: PageLinkProps): JSX.Element {
  return useOnly() ? (
    <span {...more}>{children}</span>
  ) : (
    <a href={hrefOf(page, "", query)} title={title} {...more}>
      {children}
    </a>
  );
}

/**
 * Leads to a plan's or task's page. A file about one does not lead to another. An `a` without an address is a text, and no reader comes to a
 * page that says what is missing.
 */
export function useLink(): (id: string, kind: string | null) => { href: string } | { tabIndex: -1 } {
  const only = useOnly();
  // The list beside a graph gives a node the focus, also one that is no link.
  return (id, kind) => (only === undefined || only === id ? { href: hrefOfEntity(id, kind) } : { tabIndex: -1 });
}

/** The way out of a page that has nothing to show. */
export function WayBack(): JSX.Element {
  const { state } = useWords();
  const only = useOnly();
  return (
    <a class="button" href={only ? hrefOf("task", only) : hrefOf("board")}>
      {only ? state.to(only) : state.toBoard}
    </a>
  );
}

/** The plan or task that a file is about, where it is about one. */
export function useOnly(): string | undefined {
  return useAnswer(names.workspace).value?.only ?? undefined;
}
