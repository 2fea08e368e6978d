/**
 * Secrets that are redacted whatever a manifest says. The expressions are ours and have no nested repetition, so the engine of
 * JavaScript takes them in time that grows with the text.
 */

/** Where a secret stands in a text. */
export interface Span {
  start: number;
  end: number;
}

interface SecretKind {
  name: string;
  /** The group `secret` is what is redacted; without one, all of the match is. */
  pattern: RegExp;
  /** A part of every match: a text without it need not be searched, which would cost ten times as much. */
  hint?: RegExp;
  /** The value is a word of a shell, which may have parts in quotes. */
  isWord?: true;
}

/** Code that reads a value from elsewhere, without quotes around it: a call, an index, a member of a well-known object. */
const NAMES = "[A-Za-z_$][\\w$]{0,63}(?:(?:\\??\\.|->|::)[A-Za-z_$][\\w$]{0,63}){1,8}";
const OBJECTS = "this|self|cls|config|cfg|conf|settings|options|opts|args|params|env|req|request|ctx|context|props";
const CODE =
  `(?!(?:await |new )?(?:(?:${NAMES}|[A-Za-z_$]{1,64})\\([^\\n]{0,200}\\)|` +
  `(?:${NAMES}|[A-Za-z_$]{1,64})\\[["'][\\w$-]{1,64}["']\\]|` +
  `(?:${OBJECTS})(?:\\??\\.[A-Za-z_$][\\w$]{0,63}){1,8}(?=[\\s,;)}\\]]|$)))`;

/** Texts behind `=` or `:` that are no secrets: references, placeholders, types, words for "none". */
const NO_SECRET =
  CODE +
  "(?!\\\\?[\"']?(?:\\$\\{|\\$\\(|\\{\\{|<[A-Za-z _-]{1,40}>|\\[REDACTED\\]|\\*{3}|process\\.env\\b|os\\.environ\\b|import\\.meta\\b|" +
  "(?:string|number|boolean|str|bool|int|null|undefined|none|true|false)(?=[\\s\"',;)}\\]|]|$)))";
const KEY =
  "(?:password|passwd|ｐａｓｓｗｏｒｄ|pwd|(?<=[_-])pass|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key|(?:access|auth|refresh)[_-]?token|(?<!max)[_-]token)";
const KEY_REST = "(?:[_-]?(?:key|token|value|hash)|[_-][A-Za-z0-9_-]{1,32})?";
const VALUE = [
  '\\\\"(?<escaped>[^"\\\\\\n]{1,4096})\\\\"',
  '"(?<double>(?:[^"\\\\\\n]|\\\\[^\\n]){1,4096})"',
  "'(?<single>(?:[^'\\\\\\n]|\\\\[^\\n]){1,4096})'",
  "(?<bare>[^\\s\"']{0,4095}[^\\s\"'\\\\,;)}\\]])",
].join("|");

/** A user before a password. Behind `-u http:` stands an address. */
const USER = "[^\\s:\"'$]{1,128}:(?!\\[REDACTED\\]|\\$|//)";
/** Behind `--password` a word of a sentence, another option and a reference are none. */
const NO_PASSWORD = "(?!\\[REDACTED\\]|[$<{-]|(?:is|and|or|for|with|to|the|from|in|of)\\b)";

/**
 * A text at the start of a word; the letter of an escaped line feed is none of the word. The look behind comes after the text: an
 * expression that begins with a text is searched for ten times as fast.
 */
function wordBegins(text: string, rest: string, flags = "dg"): RegExp {
  return new RegExp(`${text}(?<=(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]))${text})${rest}`, flags);
}

const KINDS: readonly SecretKind[] = [
  { name: "api_key", pattern: wordBegins("sk-", "[A-Za-z0-9_-]{20,}") },
  { name: "stripe_key", pattern: wordBegins("[rs]k_(?:live|test)_", "[A-Za-z0-9]{16,}") },
  { name: "github_token", pattern: /(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{20,})/dg },
  { name: "gitlab_token", pattern: /glpat-[A-Za-z0-9_-]{20,}/dg },
  { name: "npm_token", pattern: /npm_[A-Za-z0-9]{36,}/dg },
  { name: "slack_token", pattern: /xox[abeoprs]-[A-Za-z0-9-]{10,}/dg },
  { name: "google_key", pattern: /AIza[A-Za-z0-9_-]{35}/dg },
  { name: "aws_access_key", pattern: wordBegins("(?:AKIA|ASIA)", "[A-Z0-9]{16}(?![A-Za-z0-9])") },
  {
    name: "json_web_token",
    pattern: wordBegins("eyJ", "[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}"),
    hint: /\.eyJ/,
  },
  // Tokens that begin with a word of their maker.
  {
    name: "vendor_token",
    pattern: wordBegins(
      "(?:" +
        [
          "gldt-",
          "glrt-",
          "pypi-AgE",
          "hf_",
          "dop_v1_",
          "doo_v1_",
          "whsec_",
          "GOCSPX-",
          "shp(?:at|ca|pa|ss)_",
          "lin_api_",
          "sbp_",
          "hv[sb]\\.",
          "dckr_(?:pat|oat)_",
          "xai-",
          "gsk_",
          "r8_",
          "figd_",
          "ntn_",
          "ATATT3",
          "dp\\.(?:pt|st|sa|ct)\\.",
          "glsa_",
          "xapp-",
          "ya29\\.",
          "AGE-SECRET-KEY-1",
        ].join("|") +
        ")",
      "[A-Za-z0-9_=-]{20,}",
    ),
  },
  { name: "sendgrid_key", pattern: wordBegins("SG\\.", "[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16,64}") },
  {
    name: "hexadecimal_key",
    pattern: wordBegins("(?:key-|SK|dapi)", "[0-9a-f]{32}(?![A-Za-z0-9])"),
  },
  { name: "telegram_token", pattern: /(?<![0-9:])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/dg },
  {
    name: "discord_token",
    pattern: wordBegins("[MNO]", "[A-Za-z0-9]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,38}"),
  },
  {
    name: "webhook",
    pattern:
      /(?:hooks\.slack\.com\/(?:services|workflows)|discord(?:app)?\.com\/api\/webhooks)\/(?<secret>[A-Za-z0-9_/-]{16,256})/dg,
  },
  { name: "azure_key", pattern: /(?:AccountKey|SharedAccessKey)=(?<secret>[A-Za-z0-9+/]{32,128}={0,2})/dg },
  { name: "azure_signature", pattern: /[?&]sig=(?<secret>[A-Za-z0-9%+/]{32,128}={0,2})/dg },
  // Arguments and lines of programs that take a password without naming it as a setting.
  {
    name: "user_argument",
    pattern: new RegExp(
      `(?<![^\\s"'])(?:-u|--user|--proxy-user)(?:[ \\t]{1,4}|=|["'],\\s{0,16})(?:` +
        [`"${USER}(?<double>[^"\\n]{1,256})"`, `'${USER}(?<single>[^'\\n]{1,256})'`].join("|") +
        `|["']?${USER}(?<bare>[^\\s"']{1,256}))`,
      "dg",
    ),
  },
  {
    name: "password_argument",
    pattern: new RegExp(
      `--(?:password|passwd|pass|passphrase|secret|token|api-key|auth-token|access-token)(?:[ \\t]{1,4}(?:` +
        [`"${NO_PASSWORD}(?<double>[^"\\n]{4,256})"`, `'${NO_PASSWORD}(?<single>[^'\\n]{4,256})'`].join("|") +
        `|["']?${NO_PASSWORD}(?<bare>[^\\s"'\`)\\]},]{4,256}))` +
        // As JSON and programs show a list of arguments.
        `|["'],\\s{0,16}["']${NO_PASSWORD}(?<listed>[^\\s"'\`]{4,256})["'])`,
      "dgi",
    ),
    isWord: true,
  },
  {
    name: "mysql_argument",
    pattern: /\bmysql(?:dump|admin)?\b[^\n]{0,200}?\s-p(?!\[REDACTED\])(?<secret>[^\s$"'-][^\s]{3,128})/dg,
  },
  {
    name: "curl_argument",
    pattern: new RegExp(`\\bcurl\\b[^\\n]{0,200}?\\s["']?-u${USER}(?<secret>[^\\s"']{1,256})`, "dg"),
  },
  {
    name: "netrc_password",
    pattern: /\blogin[ \t]+[^\s]{1,128}\s{1,4}password[ \t]+(?!\[REDACTED\])(?<secret>[^\s]{1,256})/dg,
  },
  {
    name: "cookie",
    pattern: /\b(?:Set-)?Cookie:[ \t]{0,4}[^=\s;]{1,64}=(?!\[REDACTED\])(?<secret>[^\s;"']{16,4096})/dgi,
  },
  {
    name: "encoded_secret",
    pattern: /(?:password|passwd|secret|token)%3D(?!%5BREDACTED)(?<secret>[A-Za-z0-9._~%-]{4,512})/dgi,
  },
  {
    name: "bearer_token",
    pattern: wordBegins(
      "Bearer",
      "[ \\t]{1,8}(?!(?:tokens?|auth|authentication|authorization|schemes?|headers?|credentials?|realm)\\b)(?<secret>[A-Za-z0-9._~+/-]{6,}={0,2})",
      "dgi",
    ),
  },
  {
    name: "authorization",
    pattern:
      /Authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:Basic|Bearer|Token)[ \t]{1,8}(?!\[REDACTED\])(?<secret>[^\s"'\\]{1,4096})/dgi,
  },
  { name: "password_in_url", pattern: /:\/\/[^\s:/@"'<>]{0,256}:(?!\[REDACTED\]@)(?<secret>[^\s:/"'<>]{1,256})@/dg },
  {
    name: "secret_element",
    pattern: new RegExp(`<${KEY}${KEY_REST}>\\s{0,16}${NO_SECRET}(?<secret>[^\\s<][^<]{0,4095})</`, "dgi"),
  },
  // A variable of the environment: in prose and in code the word alone names much else.
  { name: "environment_token", pattern: wordBegins("TOKEN=", `${NO_SECRET}(?:${VALUE})`), isWord: true },
  {
    name: "assigned_secret",
    pattern: new RegExp(`${KEY}${KEY_REST}\\\\?["']?\\s{0,8}(?:=>|[:=：](?!>))\\s{0,8}${NO_SECRET}(?:${VALUE})`, "dgi"),
    isWord: true,
  },
];

const PEM_BEGIN = /-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
const PEM_END = /-----END (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
/** The rest of a key whose end is cut off. */
const PEM_LINES = /(?:\s{0,4}[A-Za-z0-9+/]{32,}={0,2})*/y;

/** Every secret of a well-known kind, by the name of its kind. */
export function knownSecrets(text: string): { name: string; spans: Span[] }[] {
  return [
    ...KINDS.map(({ name, pattern, hint, isWord }) => {
      const spans = hint?.test(text) === false ? [] : spansOf(text, pattern);
      return { name, spans: isWord ? wholeWords(text, spans) : spans };
    }),
    { name: "private_key", spans: privateKeys(text) },
  ];
}

function spansOf(text: string, pattern: RegExp): Span[] {
  return Array.from(text.matchAll(pattern), ({ indices }) => {
    const groups = Object.values(indices!.groups ?? {}) as ([number, number] | undefined)[];
    const [start, end] = groups.find((group) => group !== undefined) ?? indices![0]!;
    return { start, end };
  });
}

/** Values with the parts of their words behind them, and without their own quotes where they have some. `spans` are in order. */
function wholeWords(text: string, spans: readonly Span[]): Span[] {
  const isQuoted = quotesIn(text);
  // How far words were read: within one that was, nothing is read again, so that very many values cost little.
  let read = 0;
  return spans.map(({ start, end }) => {
    const quote = text[start - 1] === text[end] && /["']/.test(text[end] ?? "") ? 1 : 0;
    const from = end + quote;
    if (from < read || !(quote === 1 ? GOES_ON : PART_BEGINS).test(text.slice(from, from + 2))) return { start, end };
    const word = restOf(text, from);
    read = word.end;
    if (!word.isWhole || isQuoted(start - quote)) return { start, end };
    return NO_PART.test(text.slice(from, word.end)) ? { start, end } : { start: start - quote, end: word.end };
  });
}

/** Another part of a shell's word begins so after a value without quotes. A quote with a backslash may end a text within a text, and `\n` a line. */
const PART_BEGINS = /^(?:\$?["']|\\[^\w\n"'\\])/;
/** The same after a value in quotes. */
const GOES_ON = /^(?:[^\s\\,;)}\]&|<>`]|\\[^nrtu\n])/;
/** Marks of a sentence or of markup behind a value in quotes. */
const NO_PART = /^[.:!?/*=]*$/;
const WORD_ENDS = /[\s,;)}\]&|<>`]/;

/** The end of a shell's word that goes on at `from`: `"a b"'c d'\''e'` is one. A quote that stays open on its line makes none. */
function restOf(text: string, from: number): { end: number; isWhole: boolean } {
  let quote = "";
  let at = from;
  for (; at < text.length; at++) {
    const c = text[at]!;
    if (c === "\\" && quote !== "'") at++;
    else if (quote !== "" && c === "\n") return { end: at, isWhole: false };
    else if (quote === "$" ? c === "'" : c === quote) quote = "";
    else if (quote !== "") continue;
    else if (c === "'" || c === '"') quote = c === "'" && text[at - 1] === "$" ? "$" : c;
    else if (WORD_ENDS.test(c)) break;
  }
  return { end: Math.min(at, text.length), isWhole: quote === "" };
}

/**
 * Whether a place stands in quotes, as far as its line tells. There the next quote ends them, and begins no part of the word. Asked from the
 * first place to the last, so that the text is read once.
 */
function quotesIn(text: string): (at: number) => boolean {
  let from = 0;
  let quote = "";
  return (at) => {
    for (; from < at; from++) {
      const c = text[from]!;
      if (c === "\\" && quote !== "'") from++;
      else if (c === "\n" || c === quote) quote = "";
      else if (quote === "" && (c === "'" || c === '"')) quote = c;
    }
    return quote !== "";
  };
}

/** From each BEGIN to its END; without one, as far as lines of Base64 go. */
function privateKeys(text: string): Span[] {
  const begins = Array.from(text.matchAll(PEM_BEGIN), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  if (begins.length === 0) return [];
  const ends = Array.from(text.matchAll(PEM_END), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  let next = 0;
  return begins.map((begin, i) => {
    while (next < ends.length && ends[next]!.start < begin.end) next++;
    const end = ends[next];
    if (end !== undefined && end.start < (begins[i + 1]?.start ?? Infinity))
      return { start: begin.start, end: end.end };
    PEM_LINES.lastIndex = begin.end;
    return { start: begin.start, end: begin.end + (PEM_LINES.exec(text)?.[0].length ?? 0) };
  });
}
