import type { Entity } from "../../src/state/entity.ts";

/** Everything about an entity that somebody decided; bookkeeping of ops aside. */
export function decided(entity: Entity): unknown {
  const steps = [...entity.steps.values()].map(({ parent, children: _children, linked: _linked, ...step }) => ({
    ...step,
    parent: parent?.id ?? null,
  }));
  const { title, description, context, priority, tags, status, notes, note_count, gates } = entity;
  return structuredClone({
    steps,
    title,
    description,
    context,
    priority,
    tags,
    status,
    notes,
    note_count,
    gates: [...gates.values()].filter((g) => g.state === "blocked"),
  });
}
