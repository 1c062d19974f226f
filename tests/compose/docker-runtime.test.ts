// The Docker driver passes the suite of container runtimes, each time on an engine of its own.
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type RuntimeHost, testContainerRuntime } from '@nodewright/containers/conformance';
import { openDockerRuntime } from '@nodewright/containers/docker';
import { noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { engineFolder, engineProcess } from '../../tools/engine/engine-folder.ts';
import { ensureBusybox } from '../../tools/engine/ensure-busybox.ts';
import { stopEngine } from '../../tools/engine/stop-engine.ts';

const checkout = join(import.meta.dirname, '..', '..');

function reasonToSkip(): string | false {
  if (process.getuid?.() !== 0) return 'an engine of its own needs root';
  return spawnSync('dockerd', ['--version']).error === undefined ? false : 'dockerd is not installed';
}

async function openHost({ diskBytes }: { readonly diskBytes?: number } = {}): Promise<RuntimeHost> {
  const path = mkdtempSync(join(tmpdir(), 'engine-'));
  const folder = engineFolder(path);
  const socketPath = join(path, 'docker.sock');
  await using undo = new AsyncDisposableStack();
  undo.defer(() => rmSync(path, { recursive: true, force: true }));
  if (diskBytes !== undefined) {
    mkdirSync(folder.data);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', folder.data]);
    // Whoever stops an engine must unmount what is below its folder.
    undo.defer(() => void spawnSync('umount', ['--lazy', folder.data]));
  }
  const start = async () => {
    const program = join(checkout, 'tools', 'engine.ts');
    const env = { ...process.env, DOCKER_HOST: `unix://${socketPath}` };
    const words = ['start', '--folder', path, '--without-network'];
    await promisify(execFile)(process.execPath, [program, ...words], { env });
  };
  await start();
  undo.defer(async () => void (await stopEngine(folder)));
  const disposal = undo.move();
  return {
    openRuntime: () =>
      openDockerRuntime({
        socketPath,
        scope: { cluster: 'a-test', node: 'node01' },
        pullRetries: 1,
        telemetry: noTelemetry,
      }),
    async crash() {
      const pid = engineProcess(folder);
      if (pid === undefined) throw new Error('the engine does not run');
      // Its containerd must be dead before the next engine starts.
      const below = Number(readFileSync(join(folder.state, 'containerd', 'containerd.pid'), 'utf8'));
      for (const victim of [pid, below]) process.kill(victim, 'SIGKILL');
      await eventually(() => ![pid, below].some(isAlive), { what: 'end of the engine' });
      // Otherwise, where zombies are not reaped, the next engine takes the dead containerd for a running one.
      rmSync(join(folder.state, 'containerd', 'containerd.pid'), { force: true });
    },
    restart: start,
    [Symbol.asyncDispose]: () => disposal[Symbol.asyncDispose](),
  };
}

/** A dead process stays in the process table until its parent reaps it. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

testContainerRuntime({
  name: 'docker',
  skip: reasonToSkip(),
  busybox: async () => ensureBusybox(checkout),
  openHost,
});
