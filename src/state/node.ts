/**
 * Something whose fields the fold writes. `$` is the prefix of its fields' names: a step's title is the field
 * `step.STEP-0a1b2c3d.title`, the entity's own is `title`. Conflicts and undo speak of fields by these names.
 */
export interface Node {
  readonly $: string;
}
