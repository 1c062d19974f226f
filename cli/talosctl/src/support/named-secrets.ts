// Secrets that stand behind a name: `token=`, `"password": "..."`, `--token ...`, `X-Api-Key: ...`.
import { type OnSecret, redactionMark } from './known-secrets.ts';

/** The last word of a name. What may be before it, such as `DB_` or `--bootstrap-`, does not matter. */
const nameWords = [
  ...['token', 'passwords?', 'passwd', 'passphrase', 'pwd', 'secret', 'credentials?', 'psk'],
  ...['(?:private|preshared|pre-shared|api|access|account|auth|session|signing|encryption|license)[ _-]?key'],
  ...['(?:[_-]|user)pass', '(?<![A-Za-z0-9-])_?auth', '(?<![A-Za-z0-9])sig(?:nature)?'],
];
const secretName = new RegExp(`(?:${nameWords.join('|')})\\d{0,2}(?![A-Za-z0-9_-])`, 'gi');

/** The end of the name, and the sign after which the value begins. */
const assignment = /(?:\\{0,15}["'`])?\]?\s{0,8}(?::=|=>|=|:(?!\/\/|:))\s{0,8}\[?/y;
/** The same behind a flag: `--token value`, `"--token", "value"`. */
const flagGap = /\s{1,8}(?=[^\s-])|["']\s{0,8},\s{0,8}(?=["'])/y;
const flagStart = /(?:^|[\s"'`[,=(])--?[A-Za-z0-9_.-]{0,64}$/;
const openingQuote = /\\{0,15}["'`]/y;

/** Characters before a name in which the beginning of its flag is looked for. */
const flagLength = 66;
/** Shorter values are marks such as `token: x`. */
const minLength = 4;
/** After a colon, as in a sentence, a short word is no secret. */
const minLengthAfterColon = 6;
const plainValue = /^(?:true|false|null|none|nil|yes|no|empty|\d{1,3})$/i;

/** The line with the values of all secret names replaced. */
export function hideNamed(line: string, onSecret: OnSecret): string {
  let hidden = '';
  let written = 0;
  secretName.lastIndex = 0;
  for (let match = secretName.exec(line); match !== null; match = secretName.exec(line)) {
    const value = valueAfter(line, match[0], secretName.lastIndex);
    if (value === undefined) continue;
    onSecret(line.slice(value.begin, value.end));
    hidden += line.slice(written, value.begin) + redactionMark;
    written = value.end;
    secretName.lastIndex = value.end;
  }
  return written === 0 ? line : hidden + line.slice(written);
}

interface Part {
  readonly begin: number;
  readonly end: number;
}

function valueAfter(line: string, name: string, nameEnd: number): Part | undefined {
  const begin = matchEnd(assignment, line, nameEnd);
  if (begin === undefined) return flagValue(line, nameEnd - name.length, nameEnd);
  // The working directory.
  if (name.toLowerCase() === 'pwd' && line[begin] === '/') return undefined;
  const quoted = quotedValue(line, begin);
  const part = quoted ?? plainPart(line, begin);
  const text = line.slice(part.begin, part.end);
  const isAfterColon = quoted === undefined && /:\s/.test(line.slice(nameEnd, begin));
  if (text.length < (isAfterColon ? minLengthAfterColon : minLength) || !isTelling(text)) return undefined;
  return isValueOf(name.toLowerCase(), text) ? part : undefined;
}

/** Some names have other meanings, in which their values are words. */
function isValueOf(name: string, text: string): boolean {
  if (/^(?:_?auth|sig(?:nature)?)$/.test(name) || name.includes(' '))
    return text.length >= 8 && !/^[a-z_-]+$/.test(text) && !isName(text);
  return true;
}

/** The word behind a flag. A flag without a value is followed by another flag, or by nothing. */
function flagValue(line: string, nameBegin: number, nameEnd: number): Part | undefined {
  const begin = matchEnd(flagGap, line, nameEnd);
  if (begin === undefined) return undefined;
  if (!flagStart.test(line.slice(Math.max(0, nameBegin - flagLength), nameBegin))) return undefined;
  const part = quotedValue(line, begin) ?? plainPart(line, begin);
  const text = line.slice(part.begin, part.end);
  return text.length >= minLength && isTelling(text) ? part : undefined;
}

/** `Auth: IdentityToken:}`: the next name of a structure, behind an empty value. */
const isName = (text: string) => /^[A-Za-z]{1,64}:$/.test(text);
const isTelling = (text: string) =>
  !plainValue.test(text) && !/^(?:<[a-z]*>|sha\d{3}[:-][0-9a-f]{1,128}|[*.x]+)$/i.test(text);

/** A value in quotes, with what is escaped in it. One whose end was cut off reaches to the end of the line. */
function quotedValue(line: string, at: number): Part | undefined {
  const begin = matchEnd(openingQuote, line, at);
  if (begin === undefined) return undefined;
  const quote = line[begin - 1] as string;
  const depth = begin - at - 1;
  for (let end = line.indexOf(quote, begin); end >= 0; end = line.indexOf(quote, end + 1)) {
    let backslashes = 0;
    while (end - backslashes > begin && line[end - backslashes - 1] === '\\') backslashes += 1;
    // Within a text that is quoted itself, each backslash is doubled once more.
    if (backslashes % (2 * (depth + 1)) === depth) return { begin, end: end - depth };
  }
  return { begin, end: line.length };
}

const parameter = /(?:amp;)?[A-Za-z0-9_.-]{1,64}=/y;
const nextField = /\s{0,4}["']?[A-Za-z0-9_.-]{1,64}["']?\s{0,4}[=:]|["'\s]|$/y;
const afterQuote = /[\s,;:)\]}>&]|$/y;
const closing = /[)\]}"'`>.]{0,16}(?:[\s,;]|$)/y;

/** The beginning of an object or a list, or a mark such as `<nil>`. */
const noValue = /[{[(](?:[\s"'`{[(]|$)|[<(][A-Za-z]{0,32}[>)]/y;

/** A value without quotes: up to a blank, or to a sign that ends it where it stands. */
function plainPart(line: string, begin: number): Part {
  // This is decided without looking for the end, which would take quadratic time when many follow each other.
  if (matchEnd(noValue, line, begin) !== undefined) return { begin, end: begin };
  let end = begin;
  while (end < line.length && !endsAt(line, end)) end += 1;
  // A backslash belongs to the quote behind it.
  while (end > begin && end < line.length && line[end - 1] === '\\') end -= 1;
  return { begin, end };
}

function endsAt(line: string, at: number): boolean {
  switch (line[at]) {
    case ' ':
    case '\t':
    case '\r':
    case '\n':
      return true;
    case '"':
    case "'":
    case '`':
      return matchEnd(afterQuote, line, at + 1) !== undefined;
    case '&':
      return matchEnd(parameter, line, at + 1) !== undefined;
    case ',':
    case ';':
      return matchEnd(nextField, line, at + 1) !== undefined;
    case ')':
    case ']':
    case '}':
      return matchEnd(closing, line, at + 1) !== undefined;
    default:
      return false;
  }
}

const authorization =
  /(?<![A-Za-z0-9-])((?:proxy-)?authorization|(?:set-)?cookie)(?:\\{0,15}["'])?\s{0,8}[:=]\s{0,8}\[?(?:\\{0,15}["'])?/gi;
const headerEnd = /["'`\]}]/g;
const knownScheme =
  /(?:bearer|basic|token|digest|negotiate|ntlm|apikey|api-key|hawk|aws4-hmac-sha256|oauth)\s{1,8}/iy;
const cookiePair = /[^\s=;,"'<]{1,128}=/y;
/** Several words without a scheme are a sentence. Something longer than this is no word of a sentence, but may be a secret. */
const sentence = /[^\s,"'`\]}]{0,4096}[\s,]/y;
const hiddenBefore = /<[a-z]*>/iy;

/** Hides the values of the headers with which a client says who it is, but not the scheme in front of them. */
export function hideHeaders(line: string, onSecret: OnSecret): string {
  let hidden = '';
  let written = 0;
  authorization.lastIndex = 0;
  for (let match = authorization.exec(line); match !== null; match = authorization.exec(line)) {
    const start = authorization.lastIndex;
    const begin = matchEnd(knownScheme, line, start) ?? start;
    const isCookie = match[1]?.toLowerCase().endsWith('cookie') ?? false;
    const isValue = isCookie
      ? matchEnd(cookiePair, line, begin) !== undefined
      : begin > start || matchEnd(sentence, line, begin) === undefined;
    if (!isValue || matchEnd(hiddenBefore, line, begin) !== undefined) continue;
    headerEnd.lastIndex = begin;
    let end = headerEnd.exec(line)?.index ?? line.length;
    while (end > begin && end < line.length && line[end - 1] === '\\') end -= 1;
    if (end - begin < minLength) continue;
    onSecret(line.slice(begin, end));
    hidden += line.slice(written, begin) + redactionMark;
    written = end;
    authorization.lastIndex = end;
  }
  return written === 0 ? line : hidden + line.slice(written);
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
