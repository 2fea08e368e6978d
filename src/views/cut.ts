/** Applies one cut to a result, in place, as little as is needed. */
import { countCodePoints, shorten } from "../state/code_points.ts";
import type { Json, JsonObject } from "../state/json.ts";
import { isObject } from "../state/json.ts";
import type { Cut } from "./cuts.ts";
import { spotOf } from "./cuts.ts";
import { NEWEST } from "./page_back.ts";

/** Characters of compact JSON that went, and list items among them. */
export interface Removed {
  removed: number;
  items: number;
}

/** Removes at least `need` characters if the cut can, else all it can; null when there was nothing to cut. */
export function applyCut(result: JsonObject, cut: Cut, need: number): Removed | null {
  const spot = spotOf(result, cut.at);
  if (!spot) return null;
  const { parent, key } = spot;
  const value = parent[key]!;
  if (cut.cut === "field") return dropField(parent, key);
  if (cut.cut === "text") {
    if (typeof value !== "string") return null;
    return shortenAll([value], cut.keep, need, ([text]) => (parent[key] = text!));
  }
  if (cut.cut === "lists") return emptyLists(value);
  if (cut.cut === "members" && isObject(value)) return dropMembersOf(parent, key, cut.keep);
  if (!Array.isArray(value)) return null;
  if (cut.cut === "members") return dropMembers(value, cut.keep, need);
  if (cut.cut === "member") return dropMember(value, cut, need);
  if (cut.cut === "items") return dropItems(result, value, cut, need);
  if (cut.key !== undefined) return shortenMembers(value, cut.key, cut.keep, need);
  if (!value.every((line) => typeof line === "string")) return null;
  return shortenAll(value, cut.keep, need, (lines) => (parent[key] = lines));
}

function shortenMembers(list: Json[], key: string, keep: number, need: number): Removed | null {
  const holders = list.filter((item): item is JsonObject => isObject(item) && typeof item[key] === "string");
  const texts = holders.map((item) => item[key] as string);
  return shortenAll(texts, keep, need, (short) => holders.forEach((item, i) => (item[key] = short[i]!)));
}

function dropField(parent: JsonObject, key: string): Removed {
  const comma = Object.keys(parent).length > 1 ? 1 : 0;
  const removed = sizeOf(key) + 1 + sizeOf(parent[key]!) + comma;
  delete parent[key];
  return { removed, items: 0 };
}

function emptyLists(of: Json): Removed | null {
  let removed = 0;
  let items = 0;
  for (const list of isObject(of) ? Object.values(of) : []) {
    if (!Array.isArray(list)) continue;
    removed += sizeOf(list) - sizeOf([]);
    items += list.length;
    list.length = 0;
  }
  return items === 0 ? null : { removed, items };
}

function dropMembers(list: Json[], keep: readonly string[], need: number): Removed | null {
  let removed = 0;
  for (let i = list.length - 1; i >= 0 && removed < need; i--) {
    const item = list[i]!;
    if (typeof item !== "object" || item === null || Array.isArray(item)) continue;
    const core = Object.fromEntries(Object.entries(item).filter(([key]) => keep.includes(key)));
    removed += sizeOf(item) - sizeOf(core);
    list[i] = core;
  }
  return removed === 0 ? null : { removed, items: 0 };
}

/** Items are copied: the list is the answer's own, and they may be the engine's. */
function dropMember(list: Json[], { key, from }: Cut & { cut: "member" }, need: number): Removed | null {
  let removed = 0;
  for (let n = 0; n < list.length && removed < need; n++) {
    const i = from === "back" ? list.length - 1 - n : n;
    const item = list[i]!;
    if (!isObject(item) || !Object.hasOwn(item, key)) continue;
    const copy = { ...item };
    removed += dropField(copy, key).removed;
    list[i] = copy;
  }
  return removed === 0 ? null : { removed, items: 0 };
}

function dropMembersOf(parent: JsonObject, key: string, keep: readonly string[]): Removed | null {
  const one = [parent[key]!];
  const removed = dropMembers(one, keep, Infinity);
  parent[key] = one[0]!;
  return removed;
}

function dropItems(result: JsonObject, list: Json[], cut: ItemsCut, need: number): Removed | null {
  const most = list.length - cut.keep;
  if (most <= 0) return null;
  let removed = 0;
  let items = 0;
  let page = 0;
  while (items < most && removed + page < need) {
    const item = list[cut.from === "back" ? list.length - 1 - items : items]!;
    items++;
    removed += sizeOf(item) + (items < list.length ? 1 : 0);
    page = takeBack(result, list, cut, items, false) + countEarlier(result, cut, items, false);
  }
  if (items === 0) return null;
  takeBack(result, list, cut, items, true);
  countEarlier(result, cut, items, true);
  list.splice(cut.from === "back" ? list.length - items : 0, items);
  return { removed: removed + page, items };
}

type ItemsCut = Cut & { cut: "items" };

/** Makes a page that much shorter, so that its next cursor leads to the first item left out. Answers the bytes that this removes. */
function takeBack(result: JsonObject, list: Json[], { page: path, key, from }: ItemsCut, items: number, keep: boolean) {
  const spot = path === undefined ? null : spotOf(result, path);
  const old = spot?.parent[spot.key];
  if (!spot || !isObject(old)) return 0;
  const count = Number(old["count"]) - items;
  const page =
    key === undefined
      ? { ...old, next_cursor: Number(old["cursor"]) + count, count }
      : { ...old, next_cursor: cursorAt(list, from, items, key) ?? old["cursor"] ?? NEWEST, has_more: true, count };
  if (keep) spot.parent[spot.key] = page;
  return sizeOf(old) - sizeOf(page);
}

/** Counts the items left out among those before the list. Answers the bytes that this removes. */
function countEarlier(result: JsonObject, { earlier: path }: ItemsCut, items: number, keep: boolean): number {
  const spot = path === undefined ? null : spotOf(result, path);
  const old = spot?.parent[spot.key];
  if (!spot || typeof old !== "number") return 0;
  if (keep) spot.parent[spot.key] = old + items;
  return sizeOf(old) - sizeOf(old + items);
}

/** Of the last item that is left, seen from the end that is cut; undefined where none is. */
function cursorAt(list: Json[], from: ItemsCut["from"], items: number, key: string): Json | undefined {
  const left = from === "front" ? list[items] : list[list.length - 1 - items];
  return isObject(left) ? left[key] : undefined;
}

/** Shortens texts to one common length, the largest that removes `need`, but not below `keep`. */
function shortenAll(texts: string[], keep: number, need: number, store: (texts: string[]) => void): Removed | null {
  const longest = Math.max(0, ...texts.map(countCodePoints));
  if (longest <= keep) return null;
  const before = sizeOfAll(texts);
  let low = keep;
  let high = longest - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (before - sizeOfAll(texts.map((text) => shorten(text, middle))) >= need) low = middle;
    else high = middle - 1;
  }
  const short = texts.map((text) => shorten(text, low));
  store(short);
  return { removed: before - sizeOfAll(short), items: 0 };
}

function sizeOfAll(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + sizeOf(text), 0);
}

function sizeOf(value: Json): number {
  return countCodePoints(JSON.stringify(value));
}
