/** The search that a key opens on every page: what `taskfold search` finds, and Enter opens the first. */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SearchAnswer } from "../../src/views/viewer/api.ts";
import { go, hrefOf, hrefOfEntity } from "./address.ts";
import type { Query } from "./address_text.ts";
import type { Held } from "./data/answers.ts";
import { useAnswer } from "./data/answers.ts";
import { board, openBoard } from "./data/board.ts";
import { names } from "./data/names.ts";
import { kind } from "./data/source.ts";
import { foundInRows } from "./found_in_rows.ts";
import { StatusBadge } from "./parts/badge.tsx";
import { Icon } from "./parts/icon.tsx";
import { Person } from "./parts/person.tsx";
import { Failure } from "./parts/states.tsx";
import { useStore } from "./store.ts";
import type { Words } from "./text/en.ts";
import { useWords } from "./text/words.ts";

/** Milliseconds that the last letter rests before a server looks through everything. */
const REST_MS = 150;
const PLACES = 2;
/** As the server takes it. */
const LONGEST = 200;

/** The last search: a reader who closes it by mistake loses nothing. */
let last = "";

export function Search({ close }: { close: () => void }): JSX.Element {
  const { search } = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(last);
  /** Enter came before the answer. */
  const [isWanted, setWanted] = useState(false);
  const text = typed.trim();
  last = typed;
  const { value: found, refusal } = useFound(text);
  // Before the next key: no letter goes to the page behind.
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    field.current?.select();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const open = (href: string): void => {
    dialog.current?.close();
    go(href);
  };
  const first = found && firstOf(found);
  useEffect(() => {
    if (!isWanted || !found) return;
    // An answer of nothing ends the wish: a change that comes later opens no page by itself.
    setWanted(false);
    if (first) open(first);
  }, [isWanted, found, first]);
  const move = (event: KeyboardEvent): void => {
    // The keys of a letter that is composed belong to the program that composes it.
    if (event.isComposing) return;
    // A field of this kind takes the first Escape for itself.
    if (event.key === "Escape") dialog.current?.close();
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (way === undefined) {
      // Letters typed at a result go on in the field.
      if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) field.current?.focus();
      return;
    }
    event.preventDefault();
    const places = [field.current, ...(dialog.current?.querySelectorAll<HTMLElement>(".found a") ?? [])];
    places[places.indexOf(document.activeElement as HTMLElement) + way]?.focus();
  };
  return (
    <dialog ref={dialog} class="help search" aria-label={search.title} onClose={close} onKeyDown={move}>
      <form
        method="dialog"
        class="search-field"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          if (first) open(first);
          else setWanted(true);
        }}
      >
        <Icon name="search" />
        <input
          ref={field}
          type="search"
          value={typed}
          maxLength={LONGEST}
          placeholder={search.title}
          aria-label={search.title}
          onInput={(event) => {
            setWanted(false);
            setTyped(event.currentTarget.value);
          }}
        />
      </form>
      {refusal && <Failure refusal={refusal} />}
      <div role="status">{found && <FoundCount found={found} />}</div>
      {found && <Found found={found} leave={() => dialog.current?.close()} />}
    </dialog>
  );
}

/** Of an export the rows that it holds. */
function useFound(text: string): Held<SearchAnswer> {
  const isLive = kind === "live";
  const held = useAnswer(isLive && text !== "" ? names.search(text) : null, REST_MS);
  const { rows } = useStore(board);
  useEffect(() => {
    if (!isLive) openBoard();
  }, []);
  if (text === "" || isLive) return held;
  return { value: foundInRows(rows, text), refusal: undefined };
}

function firstOf({ rows: [row], agents: [agent] }: SearchAnswer): string | undefined {
  if (row) return hrefOfFound(row);
  return agent === undefined ? undefined : hrefOf("agents", "", { agent });
}

function hrefOfFound({ id, kind, found }: SearchAnswer["rows"][number]): string {
  return hrefOfEntity(id, kind, placeOf(found[0]?.where ?? ""));
}

function nameOfPlace(where: string, { places, noteOn }: Words["search"]): string {
  const step = where.slice(NOTE_ON.length);
  return where.startsWith(NOTE_ON) ? noteOn(step) : (places[where] ?? where);
}

/** Of a place that the answer names: a note with its step. */
const NOTE_ON = "note on ";

/** The part of a page that has it: `note on s:0`, `evidence`, the path of a step, or a field. */
function placeOf(where: string): Query {
  if (where.startsWith("note")) return { tab: "notes" };
  if (where === "evidence") return { tab: "evidence" };
  if (where === "contract") return { tab: "contract" };
  return where.startsWith("s:") ? { step: where } : {};
}

function FoundCount({ found }: { found: SearchAnswer }): JSX.Element {
  const { search, count } = useWords();
  const { rows, agents, total, searched, archived, text } = found;
  const [shown, all] = [rows.length + agents.length, total + agents.length];
  if (all > 0) return <p class="muted">{shown < all ? count.cut(shown, all) : count.matches(all)}</p>;
  return (
    <p class="empty-title">
      {search.nothing(text)} {kind === "live" ? search.searched(searched) : search.searchedRows(searched)}{" "}
      {archived > 0 && search.archived(archived)}
    </p>
  );
}

function Found({ found, leave }: { found: SearchAnswer; leave: () => void }): JSX.Element {
  const { search, labelled } = useWords();
  return (
    <ul class="bare rows found" onClick={(event) => (event.target as HTMLElement).closest("a") && leave()}>
      {found.rows.map((row) => (
        <li key={row.id}>
          <a href={hrefOfFound(row)}>
            <Icon name={row.kind ?? "task"} /> <span class="id">{row.id}</span> {row.title}
          </a>{" "}
          <StatusBadge status={row.status} />
          {row.found
            .filter(({ where }) => where !== "id" && where !== "title")
            .slice(0, PLACES)
            .map(({ where, text }, index) => (
              <p key={index} class="changes-told">
                {labelled(nameOfPlace(where, search), text)}
              </p>
            ))}
        </li>
      ))}
      {found.agents.map((by) => (
        <li key={by}>
          <a href={hrefOf("agents", "", { agent: by })}>
            <Person by={by} />
          </a>
        </li>
      ))}
    </ul>
  );
}
