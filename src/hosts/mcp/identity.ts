/** The actor of a client's calls, when none was named: `agent:` and the client's own name for itself. */
const LONGEST = 64;

export function agentOf(client: string | undefined): string {
  const name = (client ?? "")
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .replace(/[^A-Za-z0-9._@/+-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, LONGEST);
  return `agent:${name === "" ? "mcp" : name}`;
}
