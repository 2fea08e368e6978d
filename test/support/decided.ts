import type { Entity } from "../../src/state/entity.ts";

/** Everything about an entity that somebody decided; bookkeeping of ops aside. */
export function decided(entity: Entity): unknown {
  const steps = [...entity.steps.values()].map((step) => {
    const { parent, children: _children, linked: _linked, confirmed_by: _by, ...own } = step;
    return { ...own, parent: parent?.id ?? null };
  });
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
