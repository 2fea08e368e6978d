import type { JSX } from "preact";
import { address, hrefOf } from "../address.ts";
import { useStore } from "../store.ts";
import { useWords } from "../text/words.ts";
import { Icon } from "./icon.tsx";

interface PagerProps {
  /** The pages that there are, in order; the first one is 0. */
  pages: readonly number[];
  at: number;
  /** The word of the address that names the page. */
  name: string;
  /** Says to a screen reader which pages these are. */
  label: string;
}

/** The ways to the page before and the page after. Both stand in the address. */
export function Pager({ pages, at, name, label }: PagerProps): JSX.Element {
  const { count } = useWords();
  const here = useStore(address);
  const index = pages.indexOf(at);
  const hrefAt = (page: number): string =>
    hrefOf(here.page, here.id, { ...here.query, [name]: page === 0 ? undefined : String(page + 1) });
  const [before, after] = [pages[index - 1], pages[index + 1]];
  return (
    <span class="pager" role="group" aria-label={label}>
      {before !== undefined && (
        <a class="button small" href={hrefAt(before)}>
          <Icon name="first" /> {count.pageBefore}
        </a>
      )}
      <span>{count.pageOf(index + 1, pages.length)}</span>
      {after !== undefined && (
        <a class="button small" href={hrefAt(after)}>
          {count.pageAfter} <Icon name="last" />
        </a>
      )}
    </span>
  );
}
