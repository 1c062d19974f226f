import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { askEngine } from '@nodewright/provision/engine';
import { type EngineFolder, engineProcess } from './engine-folder.ts';

const startTimeoutMs = 60_000;
const pollMs = 200;

export interface StartEngineInit {
  /** `DOCKER_HOST` names the socket to listen on, as it does for the client. */
  readonly environment: NodeJS.ProcessEnv;
  /** URL of the mirror that the engine asks first for images of Docker Hub. */
  readonly registryMirror?: string;
  /**
   * Gives containers no network: enough to build images, and no conflict with another engine's iptables
   * rules.
   */
  readonly withoutNetwork: boolean;
}

/**
 * Starts an engine unless one already answers, and returns a line that says which one answers. Idempotent.
 *
 * @throws Error with one line: what is missing, or the last line of the engine's log
 */
export async function startEngine(folder: EngineFolder, init: StartEngineInit): Promise<string> {
  const before = await askEngine();
  if (before.state === 'ready') return `Docker ${before.engine} answers already`;
  // An engine listens there but cannot be used (too old, or access denied); starting ours would not help.
  if (before.state !== 'absent') throw new Error(before.advice);
  if (process.getuid?.() !== 0) throw new Error(`${before.advice}; only root can start one here`);
  if (spawnSync('dockerd', ['--version']).error !== undefined)
    throw new Error('dockerd is not installed: node tools/engine.ts install, or apt-get install docker.io');

  const running = engineProcess(folder);
  if (running === undefined) launch(folder, flagsFor(init));
  const deadline = performance.now() + startTimeoutMs;
  for (;;) {
    const answer = await askEngine();
    if (answer.state === 'ready')
      return `Docker ${answer.engine} started, pid ${engineProcess(folder)}, log ${folder.log}`;
    if (answer.state !== 'absent') throw new Error(answer.advice);
    const isOver = performance.now() > deadline;
    if (isOver) throw new Error(`dockerd did not answer: ${lastLine(folder.log)} (${folder.log})`);
    await sleep(pollMs);
  }
}

function flagsFor({ environment, registryMirror, withoutNetwork }: StartEngineInit): string[] {
  const host = environment.DOCKER_HOST ?? '';
  if (host !== '' && !host.startsWith('unix://'))
    throw new Error(`no engine can be started for DOCKER_HOST=${host}: only a unix socket of this machine`);
  return [
    ...(host === '' ? [] : ['--host', host]),
    ...(registryMirror === undefined ? [] : ['--registry-mirror', registryMirror]),
    // Not `--bridge=none`: an engine with that option removes the bridge of every other engine on the
    // machine.
    ...(withoutNetwork ? ['--iptables=false', '--ip-forward=false'] : []),
  ];
}

function launch(folder: EngineFolder, flags: readonly string[]): void {
  for (const path of [folder.path, folder.data, folder.state])
    mkdirSync(path, { recursive: true, mode: 0o711 });
  // dockerd refuses to start when the pid file of an engine that crashed is still there.
  rmSync(folder.pid, { force: true });
  const log = openSync(folder.log, 'a', 0o640);
  spawn(
    'dockerd',
    ['--data-root', folder.data, '--exec-root', folder.state, '--pidfile', folder.pid, ...flags],
    {
      detached: true,
      stdio: ['ignore', log, log],
      cwd: '/',
    },
  ).unref();
  closeSync(log);
}

function lastLine(path: string): string {
  return readFileSync(path, 'utf8').trim().split('\n').at(-1) ?? '';
}
