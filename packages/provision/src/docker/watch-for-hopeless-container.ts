import { pause } from '@nodewright/async';
import { nodeExitCodes } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import type { Engine } from '../engine/index.ts';
import { listContainers, type StackContainer } from './stack-objects.ts';

/** A container that died this often does not come up by waiting. */
const hopelessRestarts = 3;
/** Of a container that SIGTERM has ended, or that ended to follow its node into another network. */
const terminatedExitCode = 143;
const lookMs = 1_000;
/** Logs are read at every so many looks: they cost a command a node. */
const bareLookEvery = 5;

/** Resolves to why waiting is of no use, or to undefined when the signal is aborted. */
export async function watchForHopelessContainer(
  engine: Engine,
  folder: string,
  signal: AbortSignal,
): Promise<Fault | undefined> {
  for (let look = 1; !signal.aborted; look++) {
    await pause(lookMs, signal);
    if (signal.aborted) break;
    const containers = await listContainers(engine, folder).catch(() => []);
    const hopeless = containers.find(keepsDying);
    if (hopeless === undefined) {
      const bare = look % bareLookEvery === 0 ? await findBareNode(engine, containers) : undefined;
      if (bare !== undefined) return bare;
      continue;
    }
    return new Fault(
      'unavailable',
      `${hopeless.service} keeps dying (exit code ${hopeless.exitCode}): ${await lastLine(engine, hopeless)}`,
    );
  }
  return undefined;
}

/** Reboots are restarts to the engine. What runs again may have done so since. */
function keepsDying({ restarts, isRunning, isRestarting, exitCode }: StackContainer): boolean {
  const isDown = isRestarting || !isRunning;
  const isWanted = exitCode === nodeExitCodes.reboot || exitCode === terminatedExitCode;
  return isDown && restarts >= hopelessRestarts && !isWanted;
}

/** A node that was reset answers nobody who has a certificate: waiting is of no use. */
async function findBareNode(
  engine: Engine,
  containers: readonly StackContainer[],
): Promise<Fault | undefined> {
  const names = new Set(containers.map(({ service }) => service));
  for (const { id, service, isRunning } of containers) {
    if (!isRunning || !names.has(`${service}-apid`)) continue;
    const { stdout } = await engine.ask(['logs', '--tail', '200', id]);
    const [last] = [
      ...stdout.matchAll(/"msg":"(maintenance: waiting|maintenance has ended|daemon stops)/g),
    ].slice(-1);
    if (last?.[1] !== 'maintenance: waiting') continue;
    return new Fault(
      'failed-precondition',
      `${service} waits for a machine configuration since it was reset: talosctl apply-config -i -n ADDRESS -f FILE gives it one`,
    );
  }
  return undefined;
}

async function lastLine(engine: Engine, { id }: StackContainer): Promise<string> {
  const { stdout, stderr } = await engine.ask(['logs', '--tail', '1', id]);
  return `${stdout}${stderr}`.trim().split('\n').at(-1) || 'it says nothing';
}
