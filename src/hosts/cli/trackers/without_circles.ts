/** An order in which everything stands behind what it depends on. Where that goes round in a circle, one link of it is left out. */
export interface Ordered {
  order: number[];
  /** Links that were left out. */
  dropped: [from: number, to: number][];
}

export function withoutCircles(links: readonly (readonly number[])[]): Ordered {
  const NEW = 0;
  const UNDER = 1;
  const DONE = 2;
  const state = new Uint8Array(links.length);
  const order: number[] = [];
  const dropped: [number, number][] = [];
  for (let root = 0; root < links.length; root++) {
    if (state[root] !== NEW) continue;
    const path = [{ at: root, next: 0 }];
    state[root] = UNDER;
    while (path.length > 0) {
      const top = path.at(-1)!;
      const to = links[top.at]![top.next++];
      if (to === undefined) {
        state[top.at] = DONE;
        order.push(top.at);
        path.pop();
      } else if (state[to] === UNDER) dropped.push([top.at, to]);
      else if (state[to] === NEW) {
        state[to] = UNDER;
        path.push({ at: to, next: 0 });
      }
    }
  }
  return { order, dropped };
}
