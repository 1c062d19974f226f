import type { LayerProgress, PullStep } from '../image-store.ts';

/** The progress of the layers of one pull, for one reader that may be slow. */
export interface PullReport {
  layer(id: string, status: LayerProgress['status'], offsetBytes: number, totalBytes: number): void;
  /** The steps until `work` ends; they fail if the work fails. Leaving the loop calls `onLeave`. */
  steps(work: Promise<PullStep>, onLeave: () => void): AsyncGenerator<PullStep>;
}

export function createPullReport(nowMs: () => number): PullReport {
  const startedMs = new Map<string, number>();
  let waiting: LayerProgress[] = [];
  let wake = Promise.withResolvers<void>();
  const notify = () => {
    wake.resolve();
    wake = Promise.withResolvers();
  };

  return {
    layer(id, status, offsetBytes, totalBytes) {
      const now = nowMs();
      const started = startedMs.get(id) ?? now;
      startedMs.set(id, started);
      // Of the unread steps of a layer, only the last one of each status is kept.
      waiting = waiting.filter((step) => step.id !== id || step.status !== status);
      waiting.push({ id, status, elapsedMs: now - started, offsetBytes, totalBytes });
      notify();
    },
    async *steps(work, onLeave) {
      let isOver = false;
      const over = work.then(
        () => {
          isOver = true;
          notify();
        },
        () => {
          isOver = true;
          notify();
        },
      );
      try {
        for (;;) {
          const woken = wake.promise;
          const ready = waiting;
          waiting = [];
          for (const layer of ready) yield { kind: 'layer', layer };
          if (waiting.length > 0) continue;
          if (isOver) break;
          await woken;
        }
        yield await work;
      } finally {
        if (!isOver) onLeave();
        await over;
      }
    },
  };
}
