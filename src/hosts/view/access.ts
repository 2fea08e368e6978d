/** Judges requests by their Host, their origin, and the token that the command printed. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";

export type Judged = { allowed: true } | { allowed: false; status: 401 | 403 | 421; why: string };

const ALLOWED: Judged = { allowed: true };
const TOKEN_BYTES = 24;

export class Access {
  /** In the address that the command prints. */
  readonly token = randomBytes(TOKEN_BYTES).toString("base64url");
  /** Value of the cookie: the address alone gives it, and no page can read it. */
  readonly #session = randomBytes(TOKEN_BYTES).toString("base64url");
  readonly #host: string;

  /** `host`: where the server listens, as it was given. */
  constructor(host: string) {
    this.#host = bare(host);
  }

  /**
   * Whether the request names this server. A page of another site may let its own name lead to this machine (DNS rebinding): then that
   * name stands in `Host`. An IP address there cannot be such a name.
   */
  judgeOrigin(headers: IncomingHttpHeaders): Judged {
    const { host, origin } = headers;
    if (host === undefined || !this.#isOwnName(host))
      return { allowed: false, status: 421, why: "Expected Host to name this server." };
    if (origin !== undefined && origin !== `http://${host}`)
      return { allowed: false, status: 403, why: "Expected no request from another origin." };
    const site = headers["sec-fetch-site"];
    const isForeign = site === "cross-site" || site === "same-site";
    if (isForeign && headers["sec-fetch-mode"] !== "navigate")
      return { allowed: false, status: 403, why: "Expected no request from another site." };
    return ALLOWED;
  }

  /** Whether the request has the cookie, or the token as `Authorization: Bearer`. */
  judgeCaller(headers: IncomingHttpHeaders, port: number): Judged {
    const cookies = (headers.cookie ?? "").split(/;\s*/);
    const name = `${cookieName(port)}=`;
    const given = cookies.filter((one) => one.startsWith(name)).map((one) => one.slice(name.length));
    if (given.some((one) => isSame(one, this.#session))) return ALLOWED;
    const bearer = /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1];
    if (bearer !== undefined && isSame(bearer, this.token)) return ALLOWED;
    return { allowed: false, status: 401, why: "Expected the address with the token that taskfold view printed." };
  }

  isToken(given: string): boolean {
    return isSame(given, this.token);
  }

  /** No script reads it, and no request of another site takes it along. */
  cookie(port: number): string {
    return `${cookieName(port)}=${this.#session}; HttpOnly; SameSite=Strict; Path=/`;
  }

  #isOwnName(host: string): boolean {
    const name = nameOf(host);
    return name !== null && (isIP(name) !== 0 || name === "localhost" || name === this.#host.toLowerCase());
  }
}

/** Cookies do not tell ports apart. */
function cookieName(port: number): string {
  return `taskfold_view_${port}`;
}

/** Of `name:port` or `[address]:port`; null where it is neither. */
function nameOf(host: string): string | null {
  const name = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.exec(host)?.[1];
  return name === undefined ? null : bare(name).toLowerCase();
}

/** Without the brackets of an address in an URL. */
export function bare(host: string): string {
  return host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
}

/** In the same time for every wrong one. */
function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Whether only this machine reaches it. */
export function isLoopback(host: string): boolean {
  const name = bare(host).toLowerCase();
  return name === "localhost" || name === "::1" || (isIP(name) === 4 && name.startsWith("127."));
}
