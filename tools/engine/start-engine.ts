import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { askEngine } from '@nodewright/provision/engine';
import { type EngineFolder, engineProcess } from './engine-folder.ts';

const startTimeoutMs = 60_000;
const pollMs = 200;

export interface StartEngineInit {
  /** `DOCKER_HOST` names the socket, as it does for the client. */
  readonly environment: NodeJS.ProcessEnv;
  /** Where images of Docker Hub are asked for first. */
  readonly registryMirror?: string;
  /** Without a network for containers: enough to build images, and it meets no other engine of the machine. */
  readonly withoutNetwork: boolean;
}

/**
 * Makes sure that an engine answers, and says which. Starting twice is starting once.
 *
 * @throws Error with one line: what is missing, or what the engine said last.
 */
export async function startEngine(folder: EngineFolder, init: StartEngineInit): Promise<string> {
  const before = await askEngine();
  if (before.state === 'ready') return `Docker ${before.engine} answers already`;
  // Another engine is there: ours would not make it newer or friendlier.
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
    // Not "--bridge=none": with that an engine removes the bridge of every other one on the machine.
    ...(withoutNetwork ? ['--iptables=false', '--ip-forward=false'] : []),
  ];
}

function launch(folder: EngineFolder, flags: readonly string[]): void {
  for (const path of [folder.path, folder.data, folder.state])
    mkdirSync(path, { recursive: true, mode: 0o711 });
  // dockerd refuses to start over the pid file of a dead one.
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
