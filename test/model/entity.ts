/**
 * What the model knows of a plan or task: plain values by place. A place is "" (the whole), a step by its path (`s:0.s:1`)
 * or a task node (`s:0.t:2`); paths are never given twice, so the model needs no other names. Nothing here comes from `src`.
 */
export type Value = string | number | boolean | null | Value[];
export type Place = Record<string, Value>;

export interface Lease {
  by: string;
  expires: number;
  fence: number;
}

export interface Write {
  place: string;
  key: string;
  before: Value;
  after: Value;
}

export interface Op {
  by: string;
  tool: string;
  /** The event id by which a caller names it; the engine tells it. */
  hash: string;
  undoable: boolean;
  undone: boolean;
  /** An undo or redo. */
  turn: boolean;
  writes: Record<string, Write>;
  touched: string[];
}

export interface Entity {
  id: string;
  kind: "plan" | "task";
  parent: string | null;
  deleted: boolean;
  archived: boolean;
  /** Its plan names it as archived. */
  named: boolean;
  places: Record<string, Place>;
  leases: Record<string, Lease>;
  ops: Op[];
  /** Undone ops that can be brought again, by their number. */
  redo: number[];
}

/** A refusal that the model expects. */
export class Refused extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

export function refuse(code: string): never {
  throw new Refused(code);
}

/** `s:0` of `s:0.s:1`; "" of `s:0`. */
export function parentOf(place: string): string {
  return place.slice(0, Math.max(place.lastIndexOf("."), 0));
}

/** The place itself, each step above it, and the whole. */
export function upFrom(place: string): string[] {
  return place === "" ? [""] : [place, ...upFrom(parentOf(place))];
}

/** Places right below, in the order in which they came: steps (`s`) or nodes (`t`), deleted ones too. */
export function below(entity: Entity, place: string, sort: "s" | "t" = "s"): string[] {
  return Object.keys(entity.places).filter(
    (one) => one !== "" && parentOf(one) === place && one.slice(one.lastIndexOf(".") + 1).startsWith(sort),
  );
}

export function isLive(entity: Entity, place: string): boolean {
  return upFrom(place).every((one) => entity.places[one]?.["deleted"] === false);
}

export function children(entity: Entity, place: string, sort: "s" | "t" = "s"): string[] {
  return below(entity, place, sort).filter((one) => entity.places[one]!["deleted"] === false);
}

/** Live steps, parents first. */
export function steps(entity: Entity, place = ""): string[] {
  return children(entity, place).flatMap((one) => [one, ...steps(entity, one)]);
}

/** The order in which steps are due: those below first. */
export function dueSteps(entity: Entity, place = ""): string[] {
  return children(entity, place).flatMap((one) => [...dueSteps(entity, one), one]);
}

/** Something that an op says, as claims look at it. */
export interface About {
  place: string;
  /** Notes and the like: what somebody else claimed does not stand in their way. */
  free: boolean;
  /** A deletion: claims below count, too. */
  gone: boolean;
}

/** An op while it is being made. */
export class Change {
  readonly entity: Entity;
  readonly writes: Record<string, Write> = {};
  readonly touched = new Set<string>();
  readonly abouts: About[] = [];
  undoable = true;
  /** It changes nothing, and makes no op. */
  idle = false;

  constructor(entity: Entity) {
    this.entity = entity;
  }

  get whole(): Place {
    return this.entity.places[""]!;
  }

  at(place: string): Place {
    return this.entity.places[place]!;
  }

  about(place: string, { free = false, gone = false } = {}): void {
    this.abouts.push({ place, free, gone });
  }

  write(place: string, key: string, value: Value): void {
    const name = `${place} ${key}`;
    const before = this.writes[name]?.before ?? this.at(place)[key] ?? null;
    this.writes[name] = { place, key, before, after: value };
    this.at(place)[key] = value;
    this.touch(place);
  }

  /** A step or node; to take it back is to delete it. */
  add(place: string, body: Place): void {
    this.entity.places[place] = { ...body, deleted: false };
    this.writes[`${place} deleted`] = { place, key: "deleted", before: true, after: false };
    this.touch(place);
    this.touch(parentOf(place));
  }

  touch(place: string): void {
    if (place !== "") this.touched.add(place);
  }
}
