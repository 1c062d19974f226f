/** The replacement for a password in a URL. */
const redactedPassword = 'REDACTED';

/**
 * From `scheme://user:` to the last `@` before a blank or a quote, because a password may contain unescaped
 * `@` and `/`.
 */
const userInfo = /\b([a-z][a-z0-9+.-]*:\/\/[^\s"'/?#:@]*):[^\s"']*@/gi;

/** The text with the passwords of all its URLs replaced: `http://user:REDACTED@proxy:3128`. */
export function redactUrlPasswords(text: string): string {
  return text.includes('@') ? text.replace(userInfo, `$1:${redactedPassword}@`) : text;
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
