// The second line of defence: secret specs are not written at all, but a secret that a service logged, or
// that a controller copied into a spec, must not leave the cluster either.
import { KnownSecrets, type OnSecret, redactionMark } from './known-secrets.ts';
import { hideHeaders, hideNamed } from './named-secrets.ts';
import { hideWholeKeys, keyBeginAt, keyEndAfter } from './private-keys.ts';
import { hideFormats } from './secret-formats.ts';

export { KnownSecrets, redactionMark };

/** A longer text is not a key; the rest of the log must stay readable. */
const maxKeyLines = 200;

/**
 * Removes secrets from one text, line by line: private keys in PEM (over several lines, in one line, in base64), values named as
 * a token or a password, tokens that have a form of their own, and all known secrets. The time grows with the length of a line
 * and no faster, because pods and peers decide what is in it.
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
      this.#keyLines = keyEndAfter(line) >= 0 ? 0 : (this.#keyLines + 1) % maxKeyLines;
      return undefined;
    }
    const whole = hideWholeKeys(line);
    const begin = keyBeginAt(whole);
    if (begin < 0) return this.#withoutSecrets(whole);
    this.#keyLines = 1;
    return this.#withoutSecrets(whole.slice(0, begin)) + redactionMark;
  }

  /** Removes the secrets from a complete text, so that PEM blocks in it are complete as well. */
  text(text: string): string {
    return hideWholeKeys(text)
      .split('\n')
      .flatMap((line) => this.line(line) ?? [])
      .join('\n');
  }

  #withoutSecrets(line: string): string {
    return hideRecognised(this.#known.redact(line));
  }
}

/** The line without what looks like a secret. */
export function hideRecognised(line: string, onSecret: OnSecret = () => {}): string {
  return hideFormats(hideNamed(hideHeaders(line, onSecret), onSecret), onSecret);
}
