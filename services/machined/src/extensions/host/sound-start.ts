import { pauseBy, type Timers } from '@nodewright/async';
import { serviceIds } from '@nodewright/contract';
import { pointerTo, type State } from '@nodewright/state';
import { devicesStatuses, kernelModuleStatuses, services } from '@nodewright/state/kinds';
import { specOf } from '../../base/resources/spec-of.ts';
import { problemsOfStart, type StartFacts } from '../domain/sound-start.ts';

export interface SoundStartInit {
  readonly state: State;
  /** The kernel modules of the configuration in force. */
  readonly wantedModules: () => readonly string[];
  readonly timers: Timers;
  /** Aborts when the node stops. */
  readonly stopSignal: AbortSignal;
}

/** Waits until a start may be kept. @param report is called with what is missing whenever that has changed */
export type AwaitSoundStart = (report: (problems: readonly string[]) => void) => Promise<boolean>;

/** The states of a module whose start has ended well. */
const workingStates: ReadonlySet<string> = new Set(['live', 'built-in']);
/** How often the machine is looked at. */
const lookEveryMs = 1000;

/** Resolves to `true` when the machine is sound, and to `false` when the node stops before that. */
export const awaitSoundStart =
  ({ state, wantedModules, timers, stopSignal }: SoundStartInit): AwaitSoundStart =>
  async (report) => {
    let reported = '';
    while (!stopSignal.aborted) {
      const problems = problemsOfStart(await factsOf(state, wantedModules()));
      if (problems.length === 0) return true;
      if (reported !== problems.join()) report(problems);
      reported = problems.join();
      await pauseBy(timers, lookEveryMs, stopSignal);
    }
    return false;
  };

async function factsOf(state: State, wantedModules: readonly string[]): Promise<StartFacts> {
  const apid = await specOf(state, pointerTo(services, serviceIds.apid));
  const devices = await specOf(state, pointerTo(devicesStatuses));
  const modules = wantedModules.length === 0 ? [] : await state.list(kernelModuleStatuses);
  return {
    isApidHealthy: apid?.running === true && apid.healthy,
    areDevicesSettled: devices?.ready === true,
    wantedModules,
    // One whose start hangs or crashes the kernel is listed while it starts.
    kernelModules: new Set(
      modules.flatMap(({ metadata, spec }) => (workingStates.has(spec.state) ? [metadata.id] : [])),
    ),
  };
}
