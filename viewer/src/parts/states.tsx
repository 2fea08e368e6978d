/** The page while there is nothing to show yet, nothing at all, or no way to show it. */
import type { ComponentChildren, JSX } from "preact";
import { hrefOf } from "../address.ts";
import type { Held } from "../data/answers.ts";
import { NO_ACCESS, NO_CONNECTION, NOT_HELD } from "../data/source.ts";
import type { Refusal } from "../data/source.ts";
import { useWords } from "../text/words.ts";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon.tsx";

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

export function Failure({ refusal, title, again }: FailureProps): JSX.Element {
  const { state } = useWords();
  const own = { [NOT_HELD]: state.notHeld, [NO_CONNECTION]: state.noConnection, [NO_ACCESS]: state.noAccess }[
    refusal.code
  ];
  return (
    <div class="empty failure" role="alert">
      {title && <h1 class="visually-hidden">{title}</h1>}
      <Icon name="failed" />
      <p class="empty-title">{state.failed}</p>
      <p>{own ?? refusal.message}</p>
      {refusal.recovery && <p>{refusal.recovery}</p>}
      <p class="actions">
        {again && (
          <button type="button" class="button" onClick={again}>
            {state.again}
          </button>
        )}
        <a class="button" href={hrefOf("board")}>
          {state.toBoard}
        </a>
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
