export interface LateWrite {
  /** Writes this when nothing newer came for a while. */
  later: (text: string) => void;
  /** Writes at once what waits. */
  flush: () => void;
  /** Forgets what waits. */
  drop: () => void;
}

/** Writes only the last of many texts in a row. */
export function lateWrite(write: (text: string) => void, wait: number): LateWrite {
  let waiting: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const drop = (): void => {
    clearTimeout(timer);
    waiting = undefined;
  };
  const flush = (): void => {
    const text = waiting;
    drop();
    if (text !== undefined) write(text);
  };
  return {
    later(text) {
      drop();
      waiting = text;
      timer = setTimeout(flush, wait);
    },
    flush,
    drop,
  };
}
