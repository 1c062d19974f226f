import { ociLimits } from '../oci-limits.ts';
import { ManifestMemory } from './manifest-memory.ts';

const { files: limit, goodForMs } = ociLimits.verifiedFiles;

interface Verdict {
  readonly isGood: boolean;
  readonly atMs: number;
}

/**
 * Remembers files whose digest this process has verified, and files that were found damaged. A file is named by its `StoredFile.identity`,
 * which changes with the file. Without this a client that asks for single bytes would make the process read whole files again and again, and
 * the digest would be half of the processor time of each blob that is served. Of manifests it keeps the content too.
 */
export class VerifiedFiles {
  readonly manifests: ManifestMemory;
  readonly #verdicts = new Map<string, Verdict>();
  readonly #nowMs: () => number;

  /** @param nowMs a monotonic clock */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
    this.manifests = new ManifestMemory(goodForMs, nowMs);
  }

  /** `undefined` when the file is not known, or was verified more than ten minutes ago. */
  verdictOf(identity: string): 'good' | 'damaged' | undefined {
    const verdict = this.#verdicts.get(identity);
    if (verdict === undefined) return undefined;
    if (!verdict.isGood) return 'damaged';
    return this.#nowMs() - verdict.atMs < goodForMs ? 'good' : undefined;
  }

  record(identity: string, verdict: 'good' | 'damaged'): void {
    this.#verdicts.delete(identity);
    this.#verdicts.set(identity, { isGood: verdict === 'good', atMs: this.#nowMs() });
    const [oldest = ''] = this.#verdicts.keys();
    if (this.#verdicts.size > limit) this.#verdicts.delete(oldest);
  }
}
