/** Three lines of a task.yaml that tell what it was folded from and by which renderer, read without parsing the rest. */

/** The digest of the heads that a task.yaml was folded at; undefined when it names none. Older renderers gave it a line of its own. */
export function headNamed(taskYaml: string | undefined): string | undefined {
  return /^head: \[?"([A-Za-z0-9_-]{43})"(?:$|,)/m.exec(taskYaml ?? "")?.[1];
}

/** The revision that a task.yaml was folded at; undefined when it names none. */
export function revisionNamed(taskYaml: string | undefined): number | undefined {
  const found = /^revision: (\d{1,9})$/m.exec(taskYaml ?? "")?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Number of the renderer that wrote a task.yaml; 0 when it does not say. */
export function rendererOf(taskYaml: string | undefined): number {
  return Number(/^renderer: (\d{1,9})$/m.exec(taskYaml ?? "")?.[1] ?? 0);
}
