/** Bases of emoji, which a joiner or a variation selector behind them belongs to. */
const EMOJI = "\\u203c\\u2049\\u2122\\u2139\\u2190-\\u2bff\\u3030\\u303d\\u3297\\u3299\\u{1f000}-\\u{1faff}";
/** Letters of scripts in which a joiner or a non-joiner says how they are written: Arabic, Syriac, N'Ko, those of India, Sinhala. */
const JOINED = "\\u0620-\\u07ff\\u08a0-\\u08ff\\u0900-\\u0dff\\ufb50-\\ufdff\\ufe70-\\ufefc";

/**
 * Characters that are not seen or that change how others are seen, as the inside of a character class with the flag
 * `u`. This is the one list of them. Ranges and no property of Unicode: what a file says must not depend on the release
 * of node.
 */
export const INVISIBLE =
  // Controls, but for tab and line feed, which lay text out.
  "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f" +
  // Soft hyphen, grapheme joiner, Hangul and Khmer fillers, Mongolian selectors.
  "\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f" +
  // Of no width; direction of writing; separators of lines; invisible operators.
  "\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f" +
  // Fillers, variation selectors, byte order mark, annotation, noncharacters beside it.
  "\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff" +
  // Shorthand and musical controls; tags and further variation selectors.
  "\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}";

/**
 * The source of a pattern for one such character where it is not seen. A joiner between letters or emoji is seen by what it
 * does to them, and so is the variation of an emoji.
 */
export const UNSEEN =
  `(?!(?<=[${EMOJI}]\\ufe0f?)\\u200d(?=[${EMOJI}]))` +
  `(?!(?<=[${JOINED}])[\\u200c\\u200d](?=[${JOINED}]))` +
  `(?!(?<=[${EMOJI}])\\ufe0f)[${INVISIBLE}]`;
