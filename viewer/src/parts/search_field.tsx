/** The search of a page: its text stands in the address. One stands on a page, and the key of searching leads to it. */
import type { JSX } from "preact";
import { address, choose } from "../address.ts";
import { useStore } from "../store.ts";
import { Icon } from "./icon.tsx";

interface SearchFieldProps {
  label: string;
  /** Members of the address that another search takes away, such as a page of what was found. */
  forget?: readonly string[];
}

export function SearchField({ label, forget = [] }: SearchFieldProps): JSX.Element {
  const { query } = useStore(address);
  const left = Object.fromEntries(forget.map((name) => [name, undefined]));
  return (
    <span class="search-field">
      <Icon name="search" />
      <input
        id="search"
        type="search"
        value={query["q"] ?? ""}
        placeholder={label}
        aria-label={label}
        onInput={(event) => choose({ ...left, q: event.currentTarget.value }, true)}
      />
    </span>
  );
}
