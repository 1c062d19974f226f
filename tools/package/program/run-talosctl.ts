import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface RunTalosctlInit {
  /** The package whose programs run. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** When it is aborted by SIGTERM, talosctl gets SIGTERM as well, and cleans up: see `abortOnSignals`. */
  readonly signal: AbortSignal;
}

class SignalReceived extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
    this.signal = signal;
  }
}

/** A signal that SIGINT and SIGTERM abort, instead of ending this process. */
export function abortOnSignals(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => stop.abort(new SignalReceived(name)));
  return stop.signal;
}

/** The folder with Node.js and its library, below a package. */
export const runtimeFolder = () => join('runtime', `linux-${process.arch}`);

/**
 * Runs talosctl of a package on this terminal, and returns its exit code. It manages the clusters below `TALOS_HOME` alone, whatever
 * talosconfig the environment names.
 */
export async function runTalosctl(words: readonly string[], init: RunTalosctlInit): Promise<number> {
  const { folder, signal } = init;
  signal.throwIfAborted();
  const { TALOSCONFIG: _, ...environment } = init.environment;
  const node = join(folder, runtimeFolder(), 'node');
  const child = spawn(node, [join(folder, 'dist', 'talosctl', 'talosctl.cjs'), ...words], {
    ...{ stdio: 'inherit', env: environment },
  });
  const onAbort = () => {
    // Ctrl-C of a terminal reaches the child without this, and a second signal would end it before it has cleaned up.
    if (signal.reason instanceof SignalReceived && signal.reason.signal === 'SIGTERM') child.kill('SIGTERM');
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return code ?? 1;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
