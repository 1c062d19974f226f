import { pause } from '@nodewright/async';
import type { NodeClient } from '@nodewright/client';
import { Fault, faultFrom } from '@nodewright/fault';
import { onlyMessage } from '../../nodes/only-message.ts';
import { plainError } from '../../render/plain-error.ts';
import type { Sample } from '../model/sample.ts';
import { type FeedContext, hopOf } from './feed-context.ts';

/** A node that has not answered within this time counts as away. */
const answerTimeoutMs = 10_000;

/**
 * Samples the node at intervals.
 *
 * @param isWhole also reads what only the screens of a single node show
 * @param nap waits between two samples, and may end early
 */
export async function followSamples(
  { node, signal, emit, now }: FeedContext,
  isWhole: boolean,
  intervalMs: number,
  nap: typeof pause = pause,
): Promise<void> {
  let knowsCpus = false;
  while (!signal.aborted) {
    const started = performance.now();
    const timely = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
    try {
      const moment = { atMs: now().getTime(), elapsedMs: started };
      const sample = await takeSample(node, timely, moment, {
        isWhole,
        withCpus: isWhole && !knowsCpus,
      });
      knowsCpus ||= sample.cpus !== undefined;
      emit({ kind: 'sampled', sample });
    } catch (error) {
      if (signal.aborted) return;
      const isLate = timely.aborted;
      const fault = isLate
        ? new Fault('deadline-exceeded', `no answer within ${answerTimeoutMs / 1000}s`)
        : faultFrom(error);
      const atMs = now().getTime();
      const retryMs = atMs + restOf(started, intervalMs);
      emit({ kind: 'lost', message: plainError(fault.message), hop: hopOf(fault), atMs, retryMs });
    }
    await nap(restOf(started, intervalMs), signal);
  }
}

/** What is left of an interval that began at `started`, at least a moment. */
const restOf = (started: number, intervalMs: number) =>
  Math.max(100, intervalMs - (performance.now() - started));

interface SampleParts {
  readonly isWhole: boolean;
  readonly withCpus: boolean;
}

/**
 * One sample of a node. Parts that it does not have or does not report are left out. Source: Talos v1.14:
 * dashboard, calls.
 *
 * @throws Fault when the node cannot be reached, or reports nothing at all
 */
export async function takeSample(
  { machine }: NodeClient,
  signal: AbortSignal,
  moment: Pick<Sample, 'atMs' | 'elapsedMs'>,
  { isWhole, withCpus }: SampleParts,
): Promise<Sample> {
  const failures: Fault[] = [];
  let answers = 0;
  const part = async <T>(isWanted: boolean, ask: () => Promise<T>): Promise<T | undefined> => {
    if (!isWanted) return undefined;
    try {
      const answer = await ask();
      answers += 1;
      return answer;
    } catch (error) {
      failures.push(faultFrom(error));
      return undefined;
    }
  };
  const [load, memory, system, services, network, disks, processes, cpus] = await Promise.all([
    part(true, async () => onlyMessage(await machine.loadAvg({}, { signal }))),
    part(true, async () => onlyMessage(await machine.memory({}, { signal })).meminfo),
    part(true, async () => onlyMessage(await machine.systemStat({}, { signal }))),
    part(true, async () => onlyMessage(await machine.serviceList({}, { signal })).services),
    part(isWhole, async () => onlyMessage(await machine.networkDeviceStats({}, { signal }))),
    part(isWhole, async () => onlyMessage(await machine.diskStats({}, { signal }))),
    part(isWhole, async () => onlyMessage(await machine.processes({}, { signal })).processes),
    part(withCpus, async () => onlyMessage(await machine.cPUInfo({}, { signal })).cpuInfo),
  ]);
  const lost = failures.find(({ kind }) => ['unavailable', 'deadline-exceeded', 'cancelled'].includes(kind));
  const [first] = failures;
  if (lost !== undefined || (answers === 0 && first !== undefined)) throw lost ?? first;
  return { ...moment, load, memory, system, services, network, disks, processes, cpus };
}
