import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@nodewright/fault';
import { folderLabel } from '../domain/owned-stack.ts';
import { createdSystem } from '../domain/plan-node-system.ts';
import { systemLabel } from '../domain/whole-node.ts';
import { type Engine, outcomeOf } from '../engine/index.ts';

/** The properties of a cluster's container that are used here. */
export interface StackContainer {
  readonly id: string;
  /** The service in the compose file, such as `node01` or `node01-apid`. */
  readonly service: string;
  readonly image: string;
  /** The system of a node that is one container. */
  readonly system: string;
  readonly isRunning: boolean;
  /** Whether the engine itself is about to restart it. */
  readonly isRestarting: boolean;
  readonly exitCode: number;
  readonly pid: number;
  readonly startedAt: string;
  /** How often the engine itself has restarted it. */
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

/**
 * Lists all containers of the cluster in `folder`, stopped ones included, sorted by service. Leaves out the
 * containers of commands that are run by hand.
 */
export async function listContainers(engine: Engine, folder: string): Promise<StackContainer[]> {
  const once = ['--filter', 'label=com.docker.compose.oneoff=False'];
  const ids = words(await engine.run(['ps', '--all', '--quiet', '--no-trunc', ...ofFolder(folder), ...once]));
  if (ids.length === 0) return [];
  const order = ['container', 'inspect', ...ids];
  const result = await engine.ask(order);
  // A container that was removed meanwhile makes the command fail, but the output for the others is complete.
  // Any other failure is reported.
  const isMissing = /no such container/i.test(result.stderr);
  const stdout = isMissing ? result.stdout : outcomeOf(order, result);
  const found = (stdout.trim() === '' ? [] : JSON.parse(stdout)) as Inspected[];
  return found
    .map(({ Id, RestartCount, Config, State }) => ({
      id: Id,
      service: Config.Labels[serviceLabel] ?? '',
      image: Config.Image,
      system: Config.Labels[systemLabel] ?? createdSystem,
      isRunning: State.Running,
      isRestarting: State.Restarting,
      exitCode: State.ExitCode,
      pid: State.Pid,
      startedAt: State.StartedAt,
      restarts: RestartCount,
    }))
    .sort((a, b) => (a.service < b.service ? -1 : 1));
}

/**
 * Returns the services of a node in the compose file: its machined, and the containers that share its
 * network.
 */
export async function nodeServices(engine: Engine, folder: string, node: string): Promise<string[]> {
  const containers = await listContainers(engine, folder);
  const services = containers.map(({ service }) => service);
  return [...new Set(services)]
    .filter((service) => service === node || service.startsWith(`${node}-`))
    .sort();
}

/** Counts the objects of the cluster in the engine. */
export async function countObjects(engine: Engine, folder: string) {
  const { containers, networks, volumes } = await listObjects(engine, folder);
  return { containers: containers.length, networks: networks.length, volumes: volumes.length };
}

/**
 * Returns a text that describes the owner if another cluster uses this name as its compose project, else
 * `undefined`.
 */
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
  return owner === '' ? 'one that "docker compose" created' : `the one in ${owner}`;
}

const stopSeconds = 5;
const removalTimeoutMs = 30_000;
const lookMs = 200;
/**
 * How long the engine may need to finish a request of a command that was aborted. A network takes longest,
 * because it is a bridge and a dozen firewall rules.
 */
const unansweredMs = 2_000;

export interface Removal {
  /** Containers get `stopSeconds` to stop before they are killed. */
  readonly graceful: boolean;
  /**
   * A command that creates objects was aborted: the engine may still create them after everything is removed.
   */
  readonly mayAppear?: boolean;
}

/** Stops and removes every container, network and volume of the cluster. Repeats this until none is left. */
export async function removeObjects(
  engine: Engine,
  folder: string,
  { graceful, mayAppear = false }: Removal,
): Promise<void> {
  const quietMs = mayAppear ? unansweredMs : 0;
  const deadline = performance.now() + removalTimeoutMs;
  let said = '';
  let goneAt: number | undefined;
  for (let round = 0; ; round++) {
    const left = await listObjects(engine, folder);
    const now = performance.now();
    if (left.containers.length + left.networks.length + left.volumes.length === 0) {
      goneAt ??= now;
      if (now - goneAt >= quietMs) return;
      await sleep(lookMs);
      continue;
    }
    goneAt = undefined;
    if (now > deadline) throw removalFault(left, said);
    if (round > 0) await sleep(lookMs);
    said = (await removeOnce(engine, left, graceful && round === 0)) || said;
  }
}

/** Returns the error output of the engine. */
async function removeOnce(
  engine: Engine,
  { containers, networks, volumes }: StackObjects,
  graceful: boolean,
): Promise<string> {
  let said = '';
  const order = async (words: readonly string[], objects: readonly string[]) => {
    if (objects.length > 0) said = (await engine.ask([...words, ...objects])).stderr || said;
  };
  if (graceful) await order(['stop', '--time', String(stopSeconds)], containers);
  await order(['rm', '--force', '--volumes'], containers);
  await order(['network', 'rm'], networks);
  await order(['volume', 'rm'], volumes);
  return said;
}

function removalFault({ containers, networks, volumes }: StackObjects, said: string): Fault {
  const lastLine = said.trim().split('\n').at(-1);
  return new Fault(
    'unavailable',
    `the engine did not remove ${containers.length} containers, ${networks.length} networks, ${volumes.length} volumes: ${lastLine}`,
  );
}

interface StackObjects {
  readonly containers: readonly string[];
  readonly networks: readonly string[];
  readonly volumes: readonly string[];
}

async function listObjects(engine: Engine, folder: string): Promise<StackObjects> {
  const [containers, networks, volumes] = await Promise.all([
    engine.run(['ps', '--all', '--quiet', '--no-trunc', ...ofFolder(folder)]),
    engine.run(['network', 'ls', '--quiet', '--no-trunc', ...ofFolder(folder)]),
    engine.run(['volume', 'ls', '--quiet', ...ofFolder(folder)]),
  ]);
  return { containers: words(containers), networks: words(networks), volumes: words(volumes) };
}

const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');
