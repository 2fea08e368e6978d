/** Whether this process changed a log or a folder through what it opened, for hosts that say so: no workspace has it itself. */
const CHANGED = new WeakMap<object, () => boolean>();

export function keepChanged(opened: object, hasChanged: () => boolean): void {
  CHANGED.set(opened, hasChanged);
}

/** `opened`: a workspace, or several roots. */
export function hasChanged(opened: object): boolean {
  return CHANGED.get(opened)?.() ?? false;
}
