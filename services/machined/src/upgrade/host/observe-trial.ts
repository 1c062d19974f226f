import type { Slot, TrialObservation } from '@nodewright/boot';
import { faultFrom } from '@nodewright/fault';
import { pointerTo, type State } from '@nodewright/state';
import { machineStatuses } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import { specOf } from '../../base/resources/spec-of.ts';
import { trialProblems } from '../domain/trial-problems.ts';
import type { SetOfSlot } from './extension-sets.ts';

export interface TrialObserverInit {
  readonly slot: Slot;
  readonly state: State;
  /** Root hash of the set of extensions that the init has mounted; empty for none. */
  readonly extensionSet: string;
  /** The set that the slot should have. */
  readonly readSet: () => Promise<SetOfSlot | undefined>;
  /** Waits until nothing is missing of what a start must show. @param report gets what is missing */
  readonly awaitSoundStart: (report: (problems: readonly string[]) => void) => Promise<boolean>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Looks at the machine during its trial: its stage, its services, its modules, and its extensions. */
export function createTrialObserver(init: TrialObserverInit): () => Promise<Omit<TrialObservation, 'nowMs'>> {
  const { state, awaitSoundStart } = init;
  let missing: readonly string[] = [];
  let isSound = false;
  void awaitSoundStart((problems) => {
    missing = problems;
  }).then((sound) => {
    isSound = sound;
    missing = [];
  });
  let isSetInUse = false;
  return async () => {
    // What could not be read once may be read the next time.
    const setProblem = isSetInUse ? '' : await readSetProblem(init);
    isSetInUse = setProblem === '';
    const found = await specOf(state, pointerTo(machineStatuses));
    const isRunning = found?.stage === 'running';
    const own = [...(setProblem === '' ? [] : [setProblem]), ...(isRunning ? missing : [])];
    return {
      isReady: isRunning && found.status.ready && isSound && setProblem === '',
      problems: [
        ...(found === undefined ? [] : trialProblems(found)),
        ...own.map((text) => ({ text, cause: 'node' as const })),
      ],
    };
  };
}

async function readSetProblem({ extensionSet, readSet, log }: TrialObserverInit): Promise<string> {
  try {
    const set = await readSet();
    const isInUse = set === undefined || set.rootHash === extensionSet;
    return isInUse ? '' : `the set of extensions ${set.rootHash} is not in use`;
  } catch (error) {
    log.warn({ error: faultFrom(error).message }, 'the sets of extensions cannot be read');
    return 'the sets of extensions cannot be read';
  }
}
