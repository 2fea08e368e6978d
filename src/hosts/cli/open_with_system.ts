/** Opens a file, a folder or an address in the program that the system opens it with. */
import { spawn } from "node:child_process";
import { once } from "node:events";

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["explorer.exe"],
};

/** False where there is no such program: then the path still helps. */
export async function openWithSystem(path: string): Promise<boolean> {
  const [program = "xdg-open", ...args] = OPENERS[process.platform] ?? [];
  const child = spawn(program, [...args, path], { detached: true, stdio: "ignore" });
  try {
    await once(child, "spawn");
    child.unref();
    return true;
  } catch {
    return false;
  }
}
