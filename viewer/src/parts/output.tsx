/** Captured output: folded until a reader opens it, then read page by page, and searched. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { BlobRef } from "../../../src/views/viewer/api.ts";
import { answerOf } from "../data/answers.ts";
import { names } from "../data/names.ts";
import type { Refusal } from "../data/source.ts";
import { kind, refusalOf } from "../data/source.ts";
import { bytes } from "../text/format.ts";
import { useWords } from "../text/words.ts";
import { ansiPieces, placesOf } from "./ansi.ts";
import { MARKS_BESIDE, MarkedText } from "./marked_text.tsx";
import { Failure, Loading } from "./states.tsx";
import { Icon } from "./icon.tsx";

interface OutputProps {
  id: string;
  blob: BlobRef;
  label: string;
}

export function Output({ id, blob, label }: OutputProps): JSX.Element {
  const words = useWords();
  const [open, setOpen] = useState(false);
  // One file of an export has the text and no bytes beside it.
  if (blob.size === null || blob.pages === 0) {
    return <p class="muted">{words.labelled(label, words.evidence.gone)}</p>;
  }
  return (
    <details class="output" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="chevron" />
        {label} <span class="muted">{bytes(blob.size, words.locale)}</span>
      </summary>
      {open && <OutputText id={id} blob={blob} label={label} />}
    </details>
  );
}

/** Pages that a search reads by itself, at most: about a million letters. */
const MAX_SEARCHED = 16;

function OutputText({ id, blob, label }: OutputProps): JSX.Element {
  const words = useWords();
  const [text, setText] = useState("");
  const [read, setRead] = useState(0);
  const [wanted, setWanted] = useState(1);
  // Bytes make at least as many pages as characters do: the first page says how many there are.
  const [pages, setPages] = useState(blob.pages);
  const [isCut, setCut] = useState(false);
  const [binary, setBinary] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const [search, setSearch] = useState("");
  const [current, setCurrent] = useState<{ hit: number; asked: number }>();

  useEffect(() => {
    if (refusal || read >= Math.min(wanted, pages)) return;
    let left = false;
    answerOf(names.output(id, blob.sha256, read)).then(
      (page) => {
        if (left) return;
        setText((before) => before + page.text);
        setBinary(page.binary);
        setPages(page.pages);
        setCut(page.cut);
        setRead(read + 1);
      },
      (error: unknown) => {
        if (!left) setRefusal(refusalOf(error));
      },
    );
    return () => void (left = true);
  }, [id, blob.sha256, pages, read, wanted, refusal]);

  const plain = useMemo(
    () =>
      ansiPieces(text)
        .map((piece) => piece.text)
        .join(""),
    [text],
  );
  const places = useMemo(() => placesOf(plain, search), [plain, search]);
  const hits = places.begins.length;

  const find = (value: string): void => {
    setSearch(value);
    setCurrent(undefined);
    if (value !== "") setWanted(MAX_SEARCHED);
  };
  const go = (way: 1 | -1): void => {
    if (hits === 0) return;
    const from = current?.hit ?? (way > 0 ? -1 : 0);
    setCurrent({ hit: (from + way + hits) % hits, asked: (current?.asked ?? 0) + 1 });
  };

  return (
    <div class="output-body">
      <div class="output-tools">
        <input
          type="search"
          value={search}
          placeholder={words.evidence.search}
          aria-label={words.labelled(words.evidence.search, label)}
          onInput={(event) => find(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && go(event.shiftKey ? -1 : 1)}
        />
        {search !== "" && (
          <button type="button" class="button small" onClick={() => go(1)} disabled={hits === 0}>
            {words.evidence.nextMatch}
          </button>
        )}
        <span class="muted" role="status">
          {search !== "" && current && `${(current.hit + 1).toLocaleString(words.locale)} / `}
          {search !== "" && words.count.matches(hits)}
          {hits > MARKS_BESIDE && ` ${words.evidence.nearMarked}`}
        </span>
        {blob.raw && (
          <span class="push by-line">
            <a href={blob.raw} target="_blank" rel="noopener noreferrer">
              {words.evidence.raw}
            </a>
            <a href={kind === "live" ? `${blob.raw}?download` : blob.raw} download={`${blob.sha256.slice(0, 12)}.txt`}>
              {words.evidence.download}
            </a>
          </span>
        )}
      </div>
      {binary && <p class="muted">{words.evidence.binary}</p>}
      {isCut && <p class="notice amber">{words.evidence.cut}</p>}
      {read === 0 && !refusal && <Loading />}
      {read > 0 && <MarkedText text={text} label={label} places={places} current={current} />}
      {refusal && <Failure refusal={refusal} again={() => setRefusal(undefined)} />}
      {read < pages && !refusal && (
        <button type="button" class="button small" onClick={() => setWanted(read + 1)}>
          {words.evidence.moreOutput} ({read}/{pages})
        </button>
      )}
    </div>
  );
}
