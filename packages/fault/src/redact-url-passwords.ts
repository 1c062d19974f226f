/** The replacement for a password in a URL. */
const redactedPassword = 'REDACTED';

const afterScheme = '://';

/** Whatever the scheme. Each attempt to match it ends where the next one begins, at the latest. */
const untilPassword = /:\/\/[^/?#:@]*:/;

/**
 * The text with the passwords of all its URLs replaced: `http://user:REDACTED@proxy:3128`. Takes time in proportion to the
 * length of the text, because strangers write it.
 */
export function redactUrlPasswords(text: string): string {
  if (!text.includes('@')) return text;
  const urlEnd = /[\s"']|$/g;
  let redacted = '';
  let from = 0;
  for (let at = text.indexOf(afterScheme); at >= 0; at = text.indexOf(afterScheme, from)) {
    urlEnd.lastIndex = at;
    const end = urlEnd.exec(text)?.index ?? text.length;
    redacted += text.slice(from, at) + redactUrl(text.slice(at, end));
    from = end;
  }
  return redacted + text.slice(from);
}

/** A password ends at the last `@`, because it may contain unescaped `@` and `/`. */
function redactUrl(url: string): string {
  const end = url.lastIndexOf('@');
  const found = untilPassword.exec(url.slice(0, Math.max(end, 0)));
  if (found === null) return url;
  return `${url.slice(0, found.index)}${found[0]}${redactedPassword}${url.slice(end)}`;
}

/**
 * Redacts the value of an environment variable. A proxy variable may lack a scheme:
 * `user:password@proxy:3128`.
 */
export function redactVariable(name: string, value: string): string {
  const redacted = redactUrlPasswords(value);
  if (!/_proxy$/i.test(name) || value.includes('://')) return redacted;
  return redacted.replace(/^([^\s:@]*):.*@/s, `$1:${redactedPassword}@`);
}
