// The second line of defence: secret specs are not written at all, but a secret that a service logged, or
// that a controller copied into a spec, must not leave the cluster either.

/** The replacement for a secret. Source: Talos v1.14: support, sensitive resources. */
export const redactionMark = '<REDACTED>';

const pemBegin = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/;
const pemEnd = /-----END [A-Z0-9 ]*PRIVATE KEY-----/;
const wholePem = new RegExp(`${pemBegin.source}.*?${pemEnd.source}`, 'gs');
/** Base64 of `-----BEGI`, the beginning of keys in configurations. */
const encodedPem = /LS0tLS1CRUdJ[A-Za-z0-9+/=_-]*/g;
/** `token=...`, `"password": "..."` and similar, within a line of a log. */
const namedSecret =
  /((?:token|password|passphrase|secret|private_?key|preshared_?key|api_?key|access_?key|auth_?key|credentials?)["']?\s*[=:]\s*["']?)([^\s"',;&}\]]{6,})/gi;
const bearer = /\b((?:Bearer|Basic)\s+)([A-Za-z0-9._~+/-]{12,}=*)/g;
/** User and password in a URL. */
const urlPassword = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:)[^\s/@]+@/gi;
/** A longer text is not a key; the rest of the log must stay readable. */
const maxKeyLines = 200;
const minSecretLength = 6;

/** The secrets that must not be in the archive, as they become known. */
export class KnownSecrets {
  readonly #words = new Set<string>();
  #pattern: RegExp | undefined;

  /** Secrets that are too short to differ from ordinary words are left out. */
  add(secrets: Iterable<string>): void {
    for (const secret of secrets) if (secret.length >= minSecretLength) this.#words.add(secret);
    // Longest first, because one secret may begin with another.
    const words = [...this.#words].sort((a, b) => b.length - a.length);
    if (words.length > 0) this.#pattern = new RegExp(words.map(RegExp.escape).join('|'), 'g');
  }

  redact(text: string): string {
    return this.#pattern === undefined ? text : text.replace(this.#pattern, redactionMark);
  }
}

/**
 * Removes secrets from one text, line by line: private keys in PEM (over several lines, in one line, in
 * base64), values named as a token or a password, and all known secrets.
 */
export class SecretFilter {
  readonly #known: KnownSecrets;
  #keyLines = 0;

  constructor(known: KnownSecrets = new KnownSecrets()) {
    this.#known = known;
  }

  /** One line without its newline; undefined when the whole line is removed. */
  line(line: string): string | undefined {
    if (this.#keyLines > 0) {
      this.#keyLines = pemEnd.test(line) ? 0 : (this.#keyLines + 1) % maxKeyLines;
      return undefined;
    }
    const text = this.#withoutSecrets(line.replace(wholePem, redactionMark));
    const begin = pemBegin.exec(text);
    if (begin === null) return text;
    this.#keyLines = 1;
    return text.slice(0, begin.index) + redactionMark;
  }

  /** Removes the secrets from a complete text, so that PEM blocks in it are complete as well. */
  text(text: string): string {
    return text
      .replace(wholePem, redactionMark)
      .split('\n')
      .flatMap((line) => this.line(line) ?? [])
      .join('\n');
  }

  #withoutSecrets(line: string): string {
    return this.#known
      .redact(line)
      .replace(encodedPem, (text) => (isEncodedKey(text) ? redactionMark : text))
      .replace(namedSecret, (_, name: string) => name + redactionMark)
      .replace(bearer, (_, scheme: string) => scheme + redactionMark)
      .replace(urlPassword, (_, before: string) => `${before}${redactionMark}@`);
  }
}

function isEncodedKey(base64: string): boolean {
  return Buffer.from(base64, 'base64').toString('latin1').includes('PRIVATE KEY');
}
