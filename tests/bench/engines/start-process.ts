import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface StartedProcess extends Disposable {
  readonly pid: number;
  /** Where it listens; 0 on unix sockets. */
  readonly port: number;
  /** Collects garbage there, as an idle daemon does. */
  collect(): Promise<void>;
}

/** The flag with which machined starts apid. */
const memoryFlag = '--max-semi-space-size=2';

/**
 * Starts `process.ts` with these arguments, and waits until it listens.
 *
 * @param profileFolder where it leaves a CPU profile
 */
export async function startProcess(args: readonly string[], profileFolder?: string): Promise<StartedProcess> {
  const profile = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
  const child = fork(join(import.meta.dirname, 'process.ts'), args, {
    execArgv: [memoryFlag, ...profile],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  child.stdout?.resume();
  const [port] = (await once(child, 'message')) as [number];
  return {
    pid: child.pid as number,
    port,
    async collect() {
      child.send('collect');
      await once(child, 'message');
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}
