/** Number of the renderer that wrote a task.yaml; 0 when it does not say. */
export function rendererOf(taskYaml: string | undefined): number {
  return Number(/^renderer: (\d{1,9})$/m.exec(taskYaml ?? "")?.[1] ?? 0);
}
