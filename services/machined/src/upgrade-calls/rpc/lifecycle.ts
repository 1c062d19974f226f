import type {
  LifecycleServiceImplementation,
  LifecycleServiceInstallProgress,
} from '@nodewright/contract/gen/machine/lifecycle.ts';
import { Fault } from '@nodewright/fault';
import type { SystemRequest } from '../../upgrade/domain/upgrades.ts';
import { checkDisk, checkImage } from '../domain/check-request.ts';
import { exitCodeOf } from '../domain/exit-code.ts';
import type { UpgradeRun } from '../host/upgrade-run.ts';
import type { UpgradeAccess } from './upgrade-access.ts';

/** What the messages of upstream say about the system that is wanted, beside its image. */
const plainRequest = (image: string): SystemRequest => ({
  ...{ image, allowsDowngrade: false, extensionSet: undefined, dropsExtensions: false },
});

/**
 * Implements LifecycleService. Neither call restarts the machine. The stream has a line in each message, and ends with an exit code
 * and the status OK, also when the run has failed. Source: Talos v1.14: LifecycleService.
 */
export function createLifecycle(access: UpgradeAccess): LifecycleServiceImplementation {
  return {
    async *install({ containerd, source, destination }, { signal }) {
      using waiting = new DisposableStack();
      const turn = waiting.use(access.take('not installed'));
      const image = checkImage(source?.imageName);
      const disk = checkDisk(destination?.disk);
      checkInstance(containerd, 'installation failed');
      waiting.move();
      const run = access.begin('installation', turn, (upgrades, report) =>
        upgrades.install({ ...plainRequest(image), disk, wipes: false }, report),
      );
      yield* messagesOf(run, signal, 'installation failed');
    },
    async *upgrade({ containerd, source }, { signal }) {
      using waiting = new DisposableStack();
      const turn = waiting.use(access.take('installed'));
      const image = checkImage(source?.imageName);
      checkInstance(containerd, 'upgrade failed');
      await access.assertNoRollout(signal);
      waiting.move();
      const run = access.begin('upgrade', turn, (upgrades, report) =>
        upgrades.upgrade(plainRequest(image), report),
      );
      yield* messagesOf(run, signal, 'upgrade failed');
    },
  };
}

/** The artefact has one store, so the instance selects nothing here. A call without one is as wrong as it is upstream. */
function checkInstance(instance: object | undefined, prefix: string): void {
  if (instance === undefined) throw new Fault('internal', `${prefix}: containerd instance is required`);
}

type Progress = { readonly progress: LifecycleServiceInstallProgress };

async function* messagesOf(run: UpgradeRun, signal: AbortSignal, prefix: string): AsyncGenerator<Progress> {
  for await (const line of run.lines(signal)) yield messageOf(line);
  if (signal.aborted) return;
  const failure = await run.outcome;
  // An artefact that is nowhere is no failure of an installer, which has not run. Upstream loses the code, too.
  if (failure?.kind === 'not-found')
    throw new Fault('internal', `${prefix}: ${failure.message}`, { cause: failure });
  if (failure !== undefined) yield messageOf(`error: ${failure.message}`);
  const value = failure === undefined ? 0 : exitCodeOf(failure.kind);
  yield { progress: { response: { $case: 'exitCode', value } } };
}

const messageOf = (line: string): Progress => ({
  progress: { response: { $case: 'message', value: `${line}\n` } },
});
