/** The digest of the heads that a task.yaml was folded at; undefined when it names none. Older renderers gave it a line of its own. */
export function headNamed(taskYaml: string | undefined): string | undefined {
  return /^head: \[?"([A-Za-z0-9_-]{43})"(?:$|,)/m.exec(taskYaml ?? "")?.[1];
}
