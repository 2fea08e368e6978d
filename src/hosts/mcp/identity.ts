/** Who acts in a client's calls, when nobody said: `agent:` and what the client calls itself. */
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
