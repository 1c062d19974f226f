// The memory of the five daemons of a node that is alone on its machine. `node tests/bench/node-alone.ts` prints it.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProcesses, readProcessMemory } from './process-memory.ts';

const daemons = ['machined', 'apid', 'trustd', 'registryd', 'udevd-bridge'];
const name = 'alone';
/** The daemons free the memory of their start within this time, in ms. */
const settleMs = 75_000;

export interface MemoryAlone {
  /** Of the five daemons, in MB, which share what they share with each other only. */
  readonly daemonsMb: number;
  /** What each has, in words, and what etcd has beside them. */
  readonly text: string;
}

/**
 * Starts a cluster of one control plane with an image cache. Its programs run on a copy of Node.js, so that they share its pages with no
 * other program of this machine but their supervisor. What that would release at its end is subtracted.
 */
export async function measureAlone(checkout: string): Promise<MemoryAlone> {
  const work = mkdtempSync(join(tmpdir(), 'node-alone-'));
  const node = join(work, 'node');
  const state = join(work, 'state');
  const talosctl = (...words: string[]) =>
    execFileSync(node, [join(checkout, '_out/dist/talosctl/talosctl.cjs'), ...words], {
      cwd: work,
      env: { ...process.env, TALOS_HOME: work },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  const cluster = ['--name', name, '--state', state];
  try {
    copyFileSync(process.execPath, node);
    const size = ['--controlplanes', '1', '--workers', '0'];
    const config = ['--talosconfig-destination', 'talosconfig'];
    talosctl('cluster', 'create', 'process', ...cluster, ...size, ...config);
    const patch = JSON.stringify({
      ...{ apiVersion: 'v1alpha1', kind: 'ImageCacheConfig', local: { enabled: true } },
    });
    const patches = ['patch', 'mc', '--mode', 'no-reboot', '--patch', patch];
    talosctl('--talosconfig', 'talosconfig', '-n', 'node01', ...patches);
    await sleep(settleMs);
    return readAlone(node, state);
  } finally {
    talosctl('cluster', 'destroy', ...cluster, '--force');
    rmSync(work, { recursive: true, force: true });
  }
}

function readAlone(node: string, state: string): MemoryAlone {
  const of = (program: string) => {
    const found = findProcesses(`${program}.cjs`, state).find(({ command }) => command.startsWith(node));
    if (found === undefined) throw new Error(`no ${program} runs`);
    return readProcessMemory(found.pid);
  };
  const each = daemons.map((daemon) => ({ daemon, ...of(daemon) }));
  const supervisor = of('process-supervisor');
  const [etcd] = findProcesses('etcd', state).filter(({ command }) => !command.startsWith(node));
  const beside = etcd === undefined ? [] : [{ daemon: 'beside them etcd', ...readProcessMemory(etcd.pid) }];
  const all = each.reduce((sum, { pss }) => sum + pss, supervisor.pss);
  return {
    daemonsMb: all - supervisor.uss,
    text: [...each, ...beside].map(({ daemon, pss }) => `${daemon} ${pss.toFixed(1)}`).join(', '),
  };
}

if (import.meta.main) {
  const { daemonsMb, text } = await measureAlone(join(import.meta.dirname, '..', '..'));
  process.stdout.write(
    `proportional MB beside a supervisor: ${text}\nfive daemons alone: ${daemonsMb.toFixed(1)} MB\n`,
  );
}
