const limit = 1024;

/**
 * Remembers files whose digest this process has verified, and files that were found damaged. Only reads of a part of a file
 * rely on it: without it a client that asks for single bytes would make the process read whole files again and again. A
 * client that joins parts verifies the whole. A file is named by its `StoredFile.identity`.
 */
export class VerifiedFiles {
  readonly #verdicts = new Map<string, 'good' | 'damaged'>();

  verdictOf(identity: string): 'good' | 'damaged' | undefined {
    return this.#verdicts.get(identity);
  }

  record(identity: string, verdict: 'good' | 'damaged'): void {
    this.#verdicts.delete(identity);
    this.#verdicts.set(identity, verdict);
    const [oldest = ''] = this.#verdicts.keys();
    if (this.#verdicts.size > limit) this.#verdicts.delete(oldest);
  }
}
