import type { LayerProgress } from '../image-store.ts';

/** One line of the engine's output during a pull. */
export interface PullLine {
  readonly id?: string;
  readonly status?: string;
  readonly progressDetail?: { readonly current?: number; readonly total?: number };
  readonly error?: string;
  readonly errorDetail?: { readonly message?: string };
}

const statuses: Readonly<Record<string, LayerProgress['status']>> = {
  'Pulling fs layer': 'downloading',
  Waiting: 'downloading',
  Downloading: 'downloading',
  'Verifying Checksum': 'downloading',
  'Download complete': 'downloaded',
  Extracting: 'extracting',
  'Pull complete': 'extracted',
  'Already exists': 'already-exists',
};

/**
 * Converts the engine's lines about layers to progress: a known total stays known, and no value decreases.
 */
export class PullProgress {
  readonly #layers = new Map<string, LayerProgress & { readonly sinceMs: number }>();

  /** The layer and its progress; undefined for a line that is not about a layer. */
  afterLine({ id, status = '', progressDetail }: PullLine, nowMs: number): LayerProgress | undefined {
    const known = statuses[status];
    if (id === undefined || known === undefined) return undefined;
    const before = this.#layers.get(id);
    const sinceMs = before?.sinceMs ?? nowMs;
    const totalBytes = progressDetail?.total ?? before?.totalBytes ?? 0;
    const isWhole = known === 'downloaded' || known === 'extracted';
    const restarts = before !== undefined && before.status !== known;
    const offsetBytes = isWhole
      ? totalBytes
      : (progressDetail?.current ?? (restarts ? 0 : (before?.offsetBytes ?? 0)));
    const layer = { id, status: known, elapsedMs: nowMs - sinceMs, offsetBytes, totalBytes };
    this.#layers.set(id, { ...layer, sinceMs });
    return layer;
  }
}

/** Counts how often the engine restarts the download of a layer. */
export class RetryCount {
  readonly #waiting = new Set<string>();
  #count = 0;

  /** The count after this line. An engine prints a line for each second of its back-off. */
  afterLine({ id = '', status = '' }: PullLine): number {
    const isPause = /^Retrying in \d+ seconds?$/.test(status);
    if (isPause && !this.#waiting.has(id)) this.#count += 1;
    if (isPause) this.#waiting.add(id);
    else this.#waiting.delete(id);
    return this.#count;
  }
}
