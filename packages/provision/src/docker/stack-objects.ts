import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@nodewright/fault';
import { folderLabel } from '../domain/owned-stack.ts';
import type { Engine } from './engine.ts';
import { outcomeOf } from './run-docker.ts';

/** A container of a cluster, as far as it matters here. */
export interface StackContainer {
  readonly id: string;
  /** Of the compose file: `node01`, `node01-apid`. */
  readonly service: string;
  readonly image: string;
  readonly isRunning: boolean;
  /** The engine itself is about to start it again. */
  readonly isRestarting: boolean;
  readonly exitCode: number;
  readonly pid: number;
  readonly startedAt: string;
  /** How often the engine itself has started it again. */
  readonly restarts: number;
}

interface Inspected {
  readonly Id: string;
  readonly RestartCount: number;
  readonly Config: { readonly Image: string; readonly Labels: Readonly<Record<string, string>> };
  readonly State: {
    readonly Running: boolean;
    readonly Restarting: boolean;
    readonly Pid: number;
    readonly ExitCode: number;
    readonly StartedAt: string;
  };
}

const serviceLabel = 'com.docker.compose.service';
export const projectLabel = 'com.docker.compose.project';
const ofFolder = (folder: string) => ['--filter', `label=${folderLabel}=${folder}`];

/** Every container of the cluster in `folder`, running or not, by service; not those of commands run by hand. */
export async function listContainers(engine: Engine, folder: string): Promise<StackContainer[]> {
  const once = ['--filter', 'label=com.docker.compose.oneoff=False'];
  const ids = words(await engine.run(['ps', '--all', '--quiet', '--no-trunc', ...ofFolder(folder), ...once]));
  if (ids.length === 0) return [];
  const order = ['container', 'inspect', ...ids];
  const result = await engine.ask(order);
  // One that goes in the meantime makes the command fail and is missing in what it prints, which is right. An engine
  // that goes is not.
  const isMissing = /no such container/i.test(result.stderr);
  const stdout = isMissing ? result.stdout : outcomeOf(order, result);
  const found = (stdout.trim() === '' ? [] : JSON.parse(stdout)) as Inspected[];
  return found
    .map(({ Id, RestartCount, Config, State }) => ({
      id: Id,
      service: Config.Labels[serviceLabel] ?? '',
      image: Config.Image,
      isRunning: State.Running,
      isRestarting: State.Restarting,
      exitCode: State.ExitCode,
      pid: State.Pid,
      startedAt: State.StartedAt,
      restarts: RestartCount,
    }))
    .sort((a, b) => (a.service < b.service ? -1 : 1));
}

/** How much of the cluster is in the engine. */
export async function countObjects(engine: Engine, folder: string) {
  const { containers, networks, volumes } = await listObjects(engine, folder);
  return { containers: containers.length, networks: networks.length, volumes: volumes.length };
}

/** Undefined when nothing in the engine has this name as a compose project; else whose it is, as a text for people. */
export async function otherOwner(engine: Engine, name: string, folder: string): Promise<string | undefined> {
  const filter = ['--filter', `label=${projectLabel}=${name}`];
  const format = ['--format', `{{.Label "${folderLabel}"}}|`];
  const lists = await Promise.all([
    engine.run(['ps', '--all', ...filter, ...format]),
    engine.run(['network', 'ls', ...filter, ...format]),
    engine.run(['volume', 'ls', ...filter, ...format]),
  ]);
  const owners = new Set(lists.flatMap((text) => text.split('\n')).filter((line) => line.endsWith('|')));
  owners.delete(`${folder}|`);
  const [owner] = [...owners].map((line) => line.slice(0, -1));
  if (owner === undefined) return undefined;
  return owner === '' ? 'one that "docker compose" made' : `the one in ${owner}`;
}

const stopSeconds = 5;
const rounds = 5;

/**
 * Ends and removes every container, network and volume of the cluster. Containers get `stopSeconds` to end. Looks again
 * until nothing is left: what compose was about to make when it was interrupted may appear late.
 */
export async function removeObjects(
  engine: Engine,
  folder: string,
  { graceful }: { readonly graceful: boolean },
) {
  let said = '';
  for (let round = 0; round < rounds; round++) {
    const { containers, networks, volumes } = await listObjects(engine, folder);
    if (containers.length + networks.length + volumes.length === 0) return;
    if (round > 0) await sleep(200 * round);
    const orders = [
      graceful && round === 0 ? ['stop', '--time', String(stopSeconds), ...containers] : [],
      ['rm', '--force', '--volumes', ...containers],
    ];
    if (containers.length > 0) {
      for (const order of orders.filter(({ length }) => length > 0))
        said = (await engine.ask(order)).stderr || said;
    }
    if (networks.length > 0) said = (await engine.ask(['network', 'rm', ...networks])).stderr || said;
    if (volumes.length > 0) said = (await engine.ask(['volume', 'rm', ...volumes])).stderr || said;
  }
  const left = await countObjects(engine, folder);
  if (left.containers + left.networks + left.volumes === 0) return;
  const lastLine = said.trim().split('\n').at(-1);
  throw new Fault(
    'unavailable',
    `the engine does not let go of ${left.containers} containers, ${left.networks} networks, ${left.volumes} volumes: ${lastLine}`,
  );
}

async function listObjects(engine: Engine, folder: string) {
  const [containers, networks, volumes] = await Promise.all([
    engine.run(['ps', '--all', '--quiet', '--no-trunc', ...ofFolder(folder)]),
    engine.run(['network', 'ls', '--quiet', '--no-trunc', ...ofFolder(folder)]),
    engine.run(['volume', 'ls', '--quiet', ...ofFolder(folder)]),
  ]);
  return { containers: words(containers), networks: words(networks), volumes: words(volumes) };
}

const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');
