/** Flags remove stages: `enable_<word>: false` removes the stages whose role has the word. True adds none. */

/** The stage without its servant: `gemini_static_verify` has the role `static_verify`. */
export function roleOf(stage: string): string {
  return stage.slice(stage.indexOf("_") + 1);
}

export function flagRemoves(flag: string, stage: string): boolean {
  return `_${roleOf(stage)}_`.includes(`_${flag.slice("enable_".length)}_`);
}
