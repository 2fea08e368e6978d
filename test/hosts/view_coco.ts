/** A task file as Coco writes it. */
export const COCO_TASK = `id: coco-1
title: Fix the build
topology: squad
state: working
createdAt: "2026-01-01T00:00:00Z"
updatedAt: "2026-01-02T00:00:00Z"
milestones:
  - id: m1
    title: Look
    state: done
  - id: m2
    title: Mend
    state: working
    dependsOn: [m1]
`;
