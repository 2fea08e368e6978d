import { createRequire } from "node:module";

/** The package asks for itself by name, so it does not matter in which folder this code ends up. */
export function packageVersion(): string {
  const { version } = createRequire(import.meta.url)("taskfold/package.json") as { version: string };
  return version;
}
