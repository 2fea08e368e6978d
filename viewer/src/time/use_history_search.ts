import { useEffect, useRef, useState } from "preact/hooks";
import type { EntityAnswer, HistoryAnswer } from "../../../src/views/viewer/api.ts";
import type { Held } from "../data/answers.ts";
import { names } from "../data/names.ts";
import { load, refusalOf } from "../data/source.ts";
import { useWords } from "../text/words.ts";
import { passesFilter } from "./passes_filter.ts";
import type { HistorySearch } from "./search_history.ts";
import { searchHistory } from "./search_history.ts";

/** Milliseconds that a reader types nothing before a search begins, and between two searches for one text. */
const PAUSE = { typed: 200, changed: 2000 };

export interface Searching extends Held<HistorySearch> {
  /** The answer that is held is about another text. */
  isOld: boolean;
  /** All pages were looked through. */
  isWhole: boolean;
  again: () => void;
}

const NOTHING: Held<HistorySearch> = { value: undefined, refusal: undefined };

/** The changes that pass, of all pages. A change of the log has it search again, and what was found stays meanwhile. */
export function useHistorySearch(entity: EntityAnswer, text: string): Searching {
  const words = useWords();
  const { id, available, latest } = entity;
  const wanted = text.trim();
  const [held, setHeld] = useState<Held<HistorySearch>>(NOTHING);
  const [round, setRound] = useState(0);
  /** The head as of which the last search that ended began. */
  const [ended, setEnded] = useState<string>();
  /** Plan or task, text and language of the answer that is held. */
  const shown = useRef("");
  const about = JSON.stringify([id, wanted, words.locale]);
  useEffect(() => {
    const isAgain = shown.current === about;
    if (!isAgain) setEnded(undefined);
    if (wanted === "") {
      // Without a filter the page keeps nothing of an earlier one.
      setHeld(NOTHING);
      shown.current = "";
      return;
    }
    const end = new AbortController();
    const { signal } = end;
    let last: HistorySearch | undefined;
    const begin = (): void => {
      const searching = searchHistory({
        pages: available.history_pages,
        read: (page) => load(names.history(id, page).text, signal) as Promise<HistoryAnswer>,
        passes: (op) => passesFilter(op, wanted, words),
        tell: (value) => {
          last = value;
          shown.current = about;
          if (!isAgain) setHeld({ value, refusal: undefined });
        },
        signal,
      });
      searching.then(
        () => {
          if (signal.aborted) return;
          setHeld({ value: last, refusal: undefined });
          setEnded(latest.head);
        },
        (error: unknown) => {
          const refusal = refusalOf(error);
          if (!signal.aborted) setHeld((before) => ({ ...before, refusal }));
        },
      );
    };
    const timer = setTimeout(begin, PAUSE.typed);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  }, [about, round]);
  const isOld = shown.current !== about;
  const isStale = ended !== undefined && ended !== latest.head;
  useEffect(() => {
    if (!isStale) return;
    const timer = setTimeout(() => setRound((n) => n + 1), PAUSE.changed);
    return () => clearTimeout(timer);
  }, [isStale, ended]);
  return { ...held, isOld, isWhole: !isOld && ended !== undefined, again: () => setRound((n) => n + 1) };
}
