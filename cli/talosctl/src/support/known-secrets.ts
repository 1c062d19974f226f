// The first line of defence in texts: every secret that was read from a configuration or a resource, wherever it appears.

/** The replacement for a secret. Source: Talos v1.14: support, sensitive resources. */
export const redactionMark = '<REDACTED>';

/** Called with each secret that is hidden. */
export type OnSecret = (secret: string) => void;

/** Shorter secrets do not differ from ordinary words. */
export const minSecretLength = 6;

/** Bits of the hash of `minSecretLength` characters; each shifts out those of the character before the window. */
const hashBits = 18;
const bitsPerCharacter = hashBits / minSecretLength;
const hashMask = 2 ** hashBits - 1;

/**
 * The secrets that must not be in the archive, as they become known. A configuration with manifests may have thousands, so the
 * time that a text takes does not depend on their number: a hash of the last characters says where a secret may begin.
 */
export class KnownSecrets {
  readonly #words = new Set<string>();
  /** Secrets by their first characters, the longest first, because one secret may begin with another. */
  readonly #byBeginning = new Map<string, string[]>();
  readonly #beginnings = new Uint8Array(2 ** hashBits);

  /** Secrets that are too short to differ from ordinary words are left out. */
  add(secrets: Iterable<string>): void {
    for (const secret of secrets) {
      if (secret.length < minSecretLength || this.#words.has(secret)) continue;
      this.#words.add(secret);
      const beginning = secret.slice(0, minSecretLength);
      const same = [...(this.#byBeginning.get(beginning) ?? []), secret];
      this.#byBeginning.set(
        beginning,
        same.sort((a, b) => b.length - a.length),
      );
      let hash = 0;
      for (let at = 0; at < minSecretLength; at += 1) hash = nextHash(hash, beginning.charCodeAt(at));
      this.#beginnings[hash] = 1;
    }
  }

  redact(text: string): string {
    if (this.#words.size === 0) return text;
    let redacted = '';
    let written = 0;
    let hash = 0;
    for (let at = 0; at < text.length; at += 1) {
      hash = nextHash(hash, text.charCodeAt(at));
      if (this.#beginnings[hash] === 0) continue;
      const begin = at + 1 - minSecretLength;
      if (begin < written) continue;
      const secret = this.#secretAt(text, begin);
      if (secret === undefined) continue;
      redacted += text.slice(written, begin) + redactionMark;
      written = begin + secret.length;
    }
    return written === 0 ? text : redacted + text.slice(written);
  }

  #secretAt(text: string, begin: number): string | undefined {
    return this.#byBeginning
      .get(text.slice(begin, begin + minSecretLength))
      ?.find((secret) => text.startsWith(secret, begin));
  }
}

const nextHash = (hash: number, code: number) => ((hash << bitsPerCharacter) ^ code) & hashMask;
