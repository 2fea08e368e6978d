/**
 * A card that moves to another line is made anew there. Focus and selection of a reader go with it. A reader who comes back to the
 * board finds it as it was left.
 */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { address, hrefOf } from "../address.ts";
import type { Address } from "../address.ts";

/** A selection inside of one card, as places in its text. */
interface Selected {
  id: string;
  from: number;
  to: number;
}

/** Milliseconds until the lines of a restored place are on the page, and between two looks for them on a busy machine. */
const COMES_MS = 80;
/** Looks for a card that is still to come, and looks after it came. The frame of the page may take the focus later. */
const LOOKS = { before: 60, after: 3 };

interface FocusHandlers {
  onFocusIn: (event: FocusEvent) => void;
  onFocusOut: (event: FocusEvent) => void;
}

/** The board as a reader left it, by its address. */
let left: { address: string; top: number; id: string | undefined } | undefined;

/** The reader's choice, which `location.hash` follows a moment later. */
function placeOf({ page, id, query }: Address): string {
  return hrefOf(page, id, query);
}

export function useKeptPlace(box: RefObject<HTMLElement | null>): FocusHandlers {
  const focused = useRef<string | undefined>(undefined);
  /** Where the board was scrolled to, and the card that had the focus: both are gone once it is taken from the page. */
  const here = useRef(placeOf(address.get()));
  const seen = useRef(0);
  const last = useRef<string | undefined>(undefined);
  const selected = useRef<Selected | undefined>(undefined);
  const cardOf = (id: string): HTMLElement | null | undefined =>
    box.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`);
  const comeBack = (id: string, looks: number): void => {
    const active = document.activeElement;
    const card = cardOf(id);
    // A reader who went elsewhere meanwhile stays there.
    if (!box.current || (active && active !== document.body && active.id !== "main" && active !== card)) return;
    card?.focus({ preventScroll: true });
    const left = card ? Math.min(looks, LOOKS.after) : looks;
    if (left > 0) setTimeout(() => comeBack(id, left - 1), COMES_MS);
  };
  useEffect(() => {
    const look = (): void => void (selected.current = selectedIn(getSelection()));
    document.addEventListener("selectionchange", look);
    const scroll = (): void => void (seen.current = box.current?.scrollTop ?? 0);
    box.current?.addEventListener("scroll", scroll, { passive: true });
    return () => document.removeEventListener("selectionchange", look);
  }, []);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    if (left?.address === placeOf(address.get())) {
      const { top, id } = left;
      element.scrollTop = top;
      // The frame gives the focus to the page first, and the lines of that place come with the next look.
      if (id !== undefined) setTimeout(() => comeBack(id, LOOKS.before), COMES_MS);
    }
    return () => void (left = { address: here.current, top: seen.current, id: last.current });
  }, []);
  useLayoutEffect(() => {
    // A filter changes the address; the address of the next page is not of the board.
    const place = address.get();
    if (place.page === "board") here.current = placeOf(place);
    if (focused.current !== undefined && document.activeElement === document.body)
      cardOf(focused.current)?.focus({ preventScroll: true });
    const { current } = selected;
    const card = current && getSelection()?.isCollapsed ? cardOf(current.id) : undefined;
    if (current && card) select(card, current);
  });
  return {
    onFocusIn: ({ target }) => {
      focused.current = (target as HTMLElement).dataset["id"];
      last.current = focused.current;
    },
    onFocusOut: ({ target }) => {
      // A card that is taken from the page loses the focus as well: only a reader leaves a card that stays.
      queueMicrotask(() => {
        if ((target as HTMLElement).isConnected) focused.current = undefined;
      });
    },
  };
}

function selectedIn(selection: Selection | null): Selected | undefined {
  if (!selection || selection.isCollapsed) return undefined;
  const range = selection.getRangeAt(0);
  const { commonAncestorContainer: node } = range;
  const card = (node instanceof Element ? node : node.parentElement)?.closest<HTMLElement>("[data-id]");
  const id = card?.dataset["id"];
  if (!card || id === undefined) return undefined;
  const before = document.createRange();
  before.setStart(card, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const from = before.toString().length;
  return { id, from, to: from + range.toString().length };
}

function select(card: HTMLElement, { from, to }: Selected): void {
  const texts = document.createTreeWalker(card, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let at = 0;
  let isBegun = false;
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const { length } = node as Text;
    if (!isBegun && from < at + length) {
      range.setStart(node, from - at);
      isBegun = true;
    }
    if (isBegun && to <= at + length) {
      range.setEnd(node, to - at);
      getSelection()?.removeAllRanges();
      getSelection()?.addRange(range);
      return;
    }
    at += length;
  }
}
