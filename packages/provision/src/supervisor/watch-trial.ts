import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { slotFiles, slotFolderFiles } from '@nodewright/boot';

export interface WatchTrialInit {
  /** The folder of the slot that is tried. */
  readonly slot: string;
  /** How often it is looked at, in milliseconds. Default: 10 s. */
  readonly everyMs?: number;
  /** Called once when the system of the slot hangs. */
  readonly onHang: () => void;
}

/**
 * How many looks in a row may find no sign of life: two minutes. They are counted, because a computer that was suspended has run for none
 * of that time.
 */
const deafLooks = 12;

/**
 * Watches a system that is tried, as a watchdog does on a machine: its machined writes a file again and again. It ends when the slot
 * is not tried any more.
 */
export function watchTrial({ slot, everyMs = 10_000, onHang }: WatchTrialInit): Disposable {
  const alive = join(slot, slotFolderFiles.alive);
  try {
    // That of an earlier trial says nothing, and something else in its place would keep the node from writing its own.
    rmSync(alive, { recursive: true, force: true });
  } catch {
    // It does not change then, so it is no sign of life.
  }
  let seen: number | undefined;
  let deaf = 0;
  const timer = setInterval(() => {
    if (changedMs(join(slot, slotFiles.trial)) === undefined) return clearInterval(timer);
    const now = changedMs(alive);
    deaf = now === seen ? deaf + 1 : 0;
    seen = now;
    if (deaf < deafLooks) return;
    clearInterval(timer);
    onHang();
  }, everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Undefined for a file that is missing, or cannot be looked at. */
function changedMs(path: string): number | undefined {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return undefined;
  }
}
