/** Where the program of a thread is: beside this code, or above it, as the package holds them. */
import { createRequire } from "node:module";

/** Undefined where a program that was bundled anew left the file out. */
export function threadFile(name: string): string | undefined {
  for (const folder of ["./", "../", "../../"]) {
    const file = fileFromHere(`${folder}${name}.cjs`);
    if (file !== undefined) return file;
  }
  return undefined;
}

function fileFromHere(file: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(file);
  } catch {
    // It is elsewhere, or such a program does not say where it is itself.
    return undefined;
  }
}
