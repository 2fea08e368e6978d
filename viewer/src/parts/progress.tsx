import type { JSX } from "preact";

interface ProgressProps {
  done: number;
  total: number;
  label: string;
  /** The numbers beside the bar. */
  numbers?: boolean;
}

export function Progress({ done, total, label, numbers = true }: ProgressProps): JSX.Element {
  return (
    <span class="progress" title={label}>
      <progress value={done} max={Math.max(total, 1)} aria-label={label} />
      {numbers && (
        <span class="progress-numbers" aria-hidden="true">
          {done}/{total}
        </span>
      )}
    </span>
  );
}
