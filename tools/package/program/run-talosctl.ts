import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface RunTalosctlInit {
  /** The package whose programs run. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** When aborted, it gets SIGTERM and cleans up. */
  readonly signal: AbortSignal;
}

/** The folder with Node.js and its library, below a package. */
export const runtimeFolder = () => join('runtime', `linux-${process.arch}`);

/**
 * Runs talosctl of a package on this terminal, and returns its exit code. It manages the clusters below `TALOS_HOME` alone, whatever
 * talosconfig the environment names.
 */
export async function runTalosctl(words: readonly string[], init: RunTalosctlInit): Promise<number> {
  const { folder, signal } = init;
  const { TALOSCONFIG: _, ...environment } = init.environment;
  const node = join(folder, runtimeFolder(), 'node');
  const child = spawn(node, [join(folder, 'dist', 'talosctl', 'talosctl.cjs'), ...words], {
    ...{ stdio: 'inherit', env: environment },
  });
  const onAbort = () => void child.kill('SIGTERM');
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return code ?? 1;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
