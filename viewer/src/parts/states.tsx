/** The page while there is nothing to show yet, nothing at all, or no way to show it. */
import type { ComponentChildren, JSX } from "preact";
import type { Held } from "../data/answers.ts";
import { NO_ACCESS, NO_CONNECTION, NOT_HELD } from "../data/source.ts";
import type { Refusal } from "../data/source.ts";
import type { Words } from "../text/en.ts";
import { useWords } from "../text/words.ts";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon.tsx";
import { WayBack } from "./page_link.tsx";

export function Loading(): JSX.Element {
  const { state } = useWords();
  return (
    <div class="loading" role="status">
      <span class="visually-hidden">{state.loading}</span>
      <div class="bone wide" />
      <div class="bone" />
      <div class="bone" />
      <div class="bone short" />
    </div>
  );
}

interface EmptyProps {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}

export function Empty({ icon, title, children }: EmptyProps): JSX.Element {
  return (
    <div class="empty">
      <Icon name={icon} />
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

interface FailureProps {
  refusal: Refusal;
  /** Heading of a page that has no other. */
  title?: string | undefined;
  again?: (() => void) | undefined;
}

/** Words for readers, where those of the answer are for programs or in one language. */
const OWN: Readonly<Record<string, (state: Words["state"]) => string>> = {
  [NOT_HELD]: (state) => state.notHeld,
  [NO_CONNECTION]: (state) => state.noConnection,
  [NO_ACCESS]: (state) => state.noAccess,
  UNKNOWN_ID: (state) => state.notThere,
  INVALID_INPUT: (state) => state.notThere,
};

/** The words of the answer are in one language. */
function reasonOf({ code, message, recovery }: Refusal, state: Words["state"]): string[] {
  const own = OWN[code]?.(state);
  return own === undefined ? [message, ...(recovery ? [recovery] : [])] : [own];
}

export function Failure({ refusal, title, again }: FailureProps): JSX.Element {
  const { state } = useWords();
  return (
    <div class="empty failure" role="alert">
      {title && <h1>{title}</h1>}
      <Icon name="failed" />
      <p class="empty-title">{state.failed}</p>
      {reasonOf(refusal, state).map((text) => (
        <p key={text}>{text}</p>
      ))}
      <p class="actions">
        {again && (
          <button type="button" class="button" onClick={again}>
            {state.again}
          </button>
        )}
        <WayBack />
      </p>
    </div>
  );
}

interface PartFailureProps {
  refusal: Refusal;
  shown: number;
  total: number;
  again: () => void;
}

/** Above rows of which a part is refused: how many there are, why, and the way to the others. */
export function PartFailure({ refusal, shown, total, again }: PartFailureProps): JSX.Element {
  const { state } = useWords();
  const reason = refusal.code === NOT_HELD ? [state.fileMissing] : reasonOf(refusal, state);
  return (
    <div class="notice amber part-failure" role="alert">
      <Icon name="failed" />
      <span>
        {shown < total && state.partOf(shown, total)} {reason.join(" ")}
      </span>
      <button type="button" class="button small" onClick={again}>
        {state.again}
      </button>
    </div>
  );
}

/** For an address that names no page. */
export function NoPage(): JSX.Element {
  const { pages, state } = useWords();
  return (
    <div class="empty" role="alert">
      <h1>{pages.nowhere}</h1>
      <p>{state.noPage}</p>
      <p>
        <WayBack />
      </p>
    </div>
  );
}

interface WhenProps<T> {
  held: Held<T>;
  /** Heading of a page that has no other while the answer is not there. */
  title?: string;
  again?: () => void;
  children: (value: T) => ComponentChildren;
}

/** The answer on the page, or what stands there instead. */
export function When<T>({ held, title, again, children }: WhenProps<T>): JSX.Element {
  if (held.value !== undefined) return <>{children(held.value)}</>;
  if (held.refusal) return <Failure refusal={held.refusal} title={title} again={again} />;
  return (
    <>
      {title && <h1 class="visually-hidden">{title}</h1>}
      <Loading />
    </>
  );
}
