/** An example of a tool names the workspace of this root, or none while nothing decides it: a caller would copy an invented id. */
export function exampleIn(workspace: string | undefined, example: unknown): Record<string, unknown> {
  const { workspace: _invented, ...rest } = example as Record<string, unknown>;
  return workspace === undefined ? rest : { workspace, ...rest };
}
