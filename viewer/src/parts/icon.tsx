/** Line drawings of 16 by 16. They stand beside words and never alone, so screen readers skip them. */
import type { JSX } from "preact";

const PATHS = {
  agent:
    "M5 6h6a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2zM8 6V3M6 9.5v.01M10 9.5v.01M1.5 9v1.500M14.5 9v1.5",
  archive: "M2 3h12v3H2zM3 6v7h10V6M6.5 9h3",
  back: "M10 3.5L5.5 8l4.5 4.5",
  blocked: "M5.3 1.800h5.400l3.5 3.500v5.400l-3.5 3.500H5.300l-3.5-3.500V5.300zM5 8h6",
  board: "M2 3h3.200v10H2zM6.4 3h3.200v7H6.400zM10.8 3H14v5h-3.200z",
  check: "M3 8.500l3.2 3.200L13 4.8",
  chevron: "M6 3.500L10.5 8 6 12.5",
  circle: "M8 2.200a5.8 5.8 0 1 0 0 11.600A5.8 5.8 0 0 0 8 2.200z",
  claim: "M4 7V5.500a4 4 0 0 1 8 0V7M3 7h10v6.500H3zM8 9.500v2",
  clock: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.800V8l2.3 1.5",
  close: "M4 4l8 8M12 4l-8 8",
  conflict:
    "M2 4.500h4.500L9.5 8l-3 3.500H2M14 4.500h-3.200M14 11.500h-3.200M12.5 3l1.7 1.500L12.5 6M12.5 10l1.7 1.5-1.7 1.5",
  done: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.3 8.200l2 2 3.5-4",
  drift: "M8 2.500L14 13H2zM8 6.500v3M8 11.300v.01",
  evidence: "M4 1.800h5.500L13 5.300v9H4zM9.5 1.800v3.500H13M6.3 9.500l1.5 1.5 2.7-3",
  failed: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.8 5.800l4.4 4.400M10.2 5.800l-4.4 4.4",
  file: "M4 1.800h5.500L13 5.300v9H4zM9.5 1.800v3.500H13",
  first: "M12 3.500L7.5 8l4.5 4.500M4.5 3.500v9",
  fit: "M2.5 6V2.500H6M10 2.500h3.500V6M13.5 10v3.500H10M6 13.500H2.500V10",
  health: "M1.5 8.500h3l2-5 3 9 2-5.500h3",
  human: "M8 2.200a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.600zM2.8 13.800c.4-3 2.5-4.3 5.2-4.300s4.8 1.3 5.2 4.3",
  keys: "M1.5 4h13v8.500h-13zM4 6.700v.01M6.7 6.700v.01M9.3 6.700v.01M12 6.700v.01M5 10h6",
  last: "M4 3.500L8.5 8 4 12.500M11.5 3.500v9",
  link: "M6.8 9.200l2.4-2.400M7.3 4.700l1.5-1.500a2.8 2.8 0 0 1 4 4l-1.5 1.500M8.7 11.300l-1.5 1.500a2.8 2.8 0 0 1-4-4l1.5-1.5",
  merge: "M4 3v10M4 5c0 4 3 4 6.5 4M4 1.600v.01M12 9v.01M10 7l2 2-2 2",
  minus: "M3 8h10",
  note: "M2.5 3h11v8H8l-3 2.800V11H2.500z",
  packet: "M8 1.800l5.8 3v6.400L8 14.200l-5.8-3V4.800zM2.2 4.800L8 7.800l5.8-3M8 7.800v6.4",
  pause: "M5.5 3.500v9M10.5 3.500v9",
  plan: "M2.5 3.500h2v2h-2zM7 4.500h6.500M2.5 10.500h2v2h-2zM7 11.500h6.5",
  play: "M5 3l8 5-8 5z",
  plus: "M3 8h10M8 3v10",
  priority: "M4 14V2.500h8l-2 3 2 3H4",
  ready: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.8 5.600L10.3 8l-3.5 2.400z",
  redo: "M13 3v3.500H9.500M13 6.500A5.5 5.5 0 1 0 13.5 9",
  search: "M7 2.500a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.300l3.5 3.5",
  system:
    "M8 5.500a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM8 1.800v2M8 12.200v2M1.8 8h2M12.2 8h2M3.6 3.600L5 5M11 11l1.4 1.400M3.6 12.400L5 11M11 5l1.4-1.4",
  tag: "M2.5 2.500h5l6 6-5 5-6-6zM5.3 5.300v.01",
  task: "M3 2.500h10v11H3zM5.5 8l1.7 1.7 3.3-3.5",
  undo: "M3 3v3.500h3.500M3 6.500A5.5 5.5 0 1 1 2.5 9",
  wait: "M4 2h8M4 14h8M5 2c0 3 2.2 4 3 6-.8 2-3 3-3 6M11 2c0 3-2.2 4-3 6 .8 2 3 3 3 6",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
