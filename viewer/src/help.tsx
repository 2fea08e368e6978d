import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "./parts/icon.tsx";
import { useWords } from "./text/words.ts";

/** A title, and keys with what each does. */
type Group = [title: string, keys: [key: string, text: string][]];

interface HelpProps {
  /** In a file about one plan or task, keys of pages that it has not are left out. */
  isAboutOne: boolean;
  close: () => void;
}

/** Every key of the pages, in a dialog of the browser: it holds the focus and gives it back. */
export function Help({ isAboutOne, close }: HelpProps): JSX.Element {
  const { help } = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const own = dialog.current;
    own?.showModal();
    return () => {
      const at = document.activeElement;
      // A reader may have gone to another field since the browser closed it.
      const isFree = at === null || at === document.body || own?.contains(at);
      if (isFree && before instanceof HTMLElement) before.focus();
    };
  }, []);
  const { keys } = help;
  const ofAll: [string, string][] = [
    ["/ Ctrl+K", keys.search],
    ["g n", keys.now],
    ["g b", keys.board],
    ["g p", keys.plans],
    ["g a", keys.agents],
    ["g h", keys.health],
  ];
  const onBoard: Group = [
    help.onBoard,
    [
      ["← ↑ → ↓", keys.arrows],
      ["Enter", keys.enter],
      ["Home End", keys.ends],
    ],
  ];
  const onAgents: Group = [
    help.onAgents,
    [
      ["← →", keys.marks],
      ["Enter", keys.mark],
    ],
  ];
  const groups: Group[] = [
    [
      help.anywhere,
      [["?", keys.help], ...(isAboutOne ? [] : ofAll), ["g t", keys.time], ["T", keys.theme], ["Esc", keys.escape]],
    ],
    ...(isAboutOne ? [] : [onBoard]),
    [
      help.onTime,
      [
        ["[ ]", keys.revision],
        ["k", keys.play],
      ],
    ],
    ...(isAboutOne ? [] : [onAgents]),
    [help.onTabs, [["← → Home End", keys.tabs]]],
    [
      help.onGraph,
      [
        ["← ↑ → ↓", keys.move],
        ["+ - 0", keys.zoom],
      ],
    ],
  ];
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={close}>
      <div class="entry-head">
        <h2 id="help-title">{help.title}</h2>
        <button
          type="button"
          class="button icon-only push"
          aria-label={help.close}
          onClick={() => dialog.current?.close()}
        >
          <Icon name="close" />
        </button>
      </div>
      <div class="help-groups">
        {groups.map(([title, list]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {list.map(([key, text]) => (
                <div key={key}>
                  <dt>
                    {key.split(" ").map((part) => (
                      <kbd key={part}>{part}</kbd>
                    ))}
                  </dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}
