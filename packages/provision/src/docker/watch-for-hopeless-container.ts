import { pause } from '@nodewright/async';
import { nodeExitCodes } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import { isNodeService } from '../domain/stack-services.ts';
import type { Engine } from '../engine/index.ts';
import { listContainers, type StackContainer } from './stack-objects.ts';

/** A container that was restarted this often is not expected to recover. */
const hopelessRestarts = 3;
/**
 * The exit code of a container that was ended with SIGTERM, for instance to join the new network of its node.
 */
const terminatedExitCode = 143;
const lookMs = 1_000;
/** Read the logs only in every fifth round, because this takes one command per node. */
const bareLookEvery = 5;

/** Resolves to the reason why waiting is pointless, or to `undefined` when the signal is aborted. */
export async function watchForHopelessContainer(
  engine: Engine,
  folder: string,
  signal: AbortSignal,
  everyMs = lookMs,
): Promise<Fault | undefined> {
  const seen: SeenStarts = new Map();
  for (let look = 1; !signal.aborted; look++) {
    await pause(everyMs, signal);
    if (signal.aborted) break;
    const found = await listContainers(engine, folder).catch(() => []);
    const containers = found.map((container) => withSeenRestarts(container, seen));
    const hopeless = containers.find(keepsExiting);
    if (hopeless === undefined) {
      const bare = look % bareLookEvery === 0 ? await findBareNode(engine, containers) : undefined;
      if (bare !== undefined) return bare;
      continue;
    }
    return new Fault(
      'unavailable',
      `${hopeless.service} keeps exiting (exit code ${hopeless.exitCode}): ${await lastLine(engine, hopeless)}`,
    );
  }
  return undefined;
}

/** The year of the time of a container that was only created. */
const neverStarted = '0001-';
/** The last start of each service, and how many there were. */
type SeenStarts = Map<string, { readonly startedAt: string; readonly count: number }>;

/** The engine counts its own restarts only, and the keeper alone restarts a node that is one container. */
function withSeenRestarts(container: StackContainer, seen: SeenStarts): StackContainer {
  const { service, startedAt, restarts } = container;
  if (startedAt.startsWith(neverStarted)) return container;
  const last = seen.get(service);
  const count = last?.startedAt === startedAt ? last.count : (last?.count ?? 0) + 1;
  seen.set(service, { startedAt, count });
  return { ...container, restarts: Math.max(restarts, count - 1) };
}

/**
 * A reboot counts as a restart in the engine, so exit codes of reboots are ignored. A container that runs may
 * have recovered.
 */
function keepsExiting({ restarts, isRunning, isRestarting, exitCode }: StackContainer): boolean {
  const isDown = isRestarting || !isRunning;
  const { reboot, chosenSystem } = nodeExitCodes;
  const isWanted = [reboot, chosenSystem, terminatedExitCode].includes(exitCode);
  return isDown && restarts >= hopelessRestarts && !isWanted;
}

/** Finds a node that was reset. It accepts no client certificate, so waiting for it is pointless. */
async function findBareNode(
  engine: Engine,
  containers: readonly StackContainer[],
): Promise<Fault | undefined> {
  for (const { id, service, isRunning } of containers) {
    if (!isRunning || !isNodeService(service)) continue;
    const { stdout } = await engine.ask(['logs', '--tail', '200', id]);
    const [last] = [
      ...stdout.matchAll(/"msg":"(maintenance: waiting|maintenance has ended|daemon stops)/g),
    ].slice(-1);
    if (last?.[1] !== 'maintenance: waiting') continue;
    return new Fault(
      'failed-precondition',
      `${service} was reset and waits for a machine configuration: send one with talosctl apply-config -i -n ADDRESS -f FILE`,
    );
  }
  return undefined;
}

async function lastLine(engine: Engine, { id }: StackContainer): Promise<string> {
  const { stdout, stderr } = await engine.ask(['logs', '--tail', '1', id]);
  return `${stdout}${stderr}`.trim().split('\n').at(-1) || 'it printed nothing';
}
