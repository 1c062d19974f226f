/** The forms in which a secret may appear. */
export function formsOf(secret: string): string[] {
  // A URL is not secret as a whole, only its parameter is.
  const token = /[?&]jointoken=([^&#]+)/i.exec(secret)?.[1];
  if (token !== undefined) return writtenForms(token, decoded(token));
  const pem = secret.includes('-----BEGIN') ? secret : Buffer.from(secret, 'base64').toString('latin1');
  if (!pem.includes('-----BEGIN')) return writtenForms(secret, ...lines(secret), ...passwordsOf(secret));
  return [secret, ...lines(pem).filter((line) => line.length >= 16 && !line.startsWith('-----'))];
}

/** As they are, and as they are written into base64, JSON and URLs. */
function writtenForms(...secrets: readonly string[]): string[] {
  return secrets.flatMap((secret) => [
    secret,
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
  ]);
}

/** The lines of a text of several. */
function lines(text: string): string[] {
  return text.includes('\n') ? text.split('\n').map((line) => line.trim()) : [];
}

/** The password of a URL or of a proxy without a scheme, which is logged without the rest too. */
function passwordsOf(url: string): string[] {
  const password = /^(?:[a-z][a-z0-9+.-]{0,32}:\/\/)?[^\s:@/]{0,256}:([^\s]+)@[^\s@]+$/i.exec(url)?.[1];
  return password === undefined ? [] : [password, decoded(password)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
