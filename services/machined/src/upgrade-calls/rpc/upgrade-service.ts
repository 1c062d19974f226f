import { randomUUID } from 'node:crypto';
import type {
  UpgradeRequest,
  UpgradeResponse,
  UpgradeServiceImplementation,
  UpgradeSettings,
} from '@nodewright/contract/gen/suite/upgrade/v1/upgrade.ts';
import { Fault } from '@nodewright/fault';
import type { SystemRequest } from '../../upgrade/domain/upgrades.ts';
import type { UpgradePlanTopic } from '../../upgrade-plan/upgrade-plan-topic.ts';
import { checkImage } from '../domain/check-request.ts';
import type { ReceivedSet } from '../domain/received-set.ts';
import type { UpgradeAccess } from './upgrade-access.ts';

export interface UpgradeServiceInit {
  readonly access: UpgradeAccess;
  readonly received: ReceivedSet;
  /** Why this process cannot end its machine; undefined when it can. */
  readonly cannotEnd: string | undefined;
  /** The plan of this node; undefined on a node that no call upgrades. */
  readonly plans: Pick<UpgradePlanTopic['plans'], 'begin'> | undefined;
  /** As `MachineUpgradeInit.pull`. */
  readonly pull: (image: string, signal: AbortSignal) => Promise<string>;
}

/** Implements UpgradeService. A failure is the status of the call, with the kind of the fault. */
export function createUpgradeService(init: UpgradeServiceInit): UpgradeServiceImplementation {
  const { access, received } = init;
  return {
    async *upgrade(requests, { signal }) {
      // Before a request arrives: a node that is no machine refuses at once.
      const { upgrades } = access;
      const pieces = requests[Symbol.asyncIterator]();
      const first = await pieces.next();
      const settings = settingsOf(first.done ? undefined : first.value);
      await using waiting = new AsyncDisposableStack();
      const turn = waiting.use(access.take('installed'));
      const image = checkImage(settings.image);
      checkSets(settings);
      await access.assertNoRollout(signal);
      if (settings.runPlan) {
        const begun = await beginPlan(init, settings, turn, signal);
        // Before the answer: a client that leaves while it is sent must not give the turn back.
        waiting.move();
        yield begun;
        return;
      }
      waiting.defer(() => received.remove());
      const extensionSet = settings.hasExtensionSet ? await received.receive(chunksOf(pieces)) : undefined;
      // Again: an upload takes minutes, in which a roll-out may have begun.
      await access.assertNoRollout(signal);
      const wanted: SystemRequest = {
        ...{ image, extensionSet, allowsDowngrade: settings.allowDowngrade },
        dropsExtensions: settings.withoutExtensions,
      };
      if (settings.stage) {
        await upgrades.stage(wanted);
        yield preparedEvent(true);
        return;
      }
      waiting.move();
      const run = access.begin('upgrade', turn, async (machine, report) => {
        try {
          await machine.upgrade(wanted, report);
        } finally {
          await received.remove();
        }
      });
      for await (const line of run.lines(signal)) yield lineEvent(line);
      if (signal.aborted) return;
      const failure = await run.outcome;
      if (failure !== undefined) throw failure;
      yield preparedEvent(false);
    },
  };
}

/** Begins the plan, which has the turn until the machine goes down or the plan fails. @throws Fault; the caller gives the turn back then */
async function beginPlan(
  { access, plans, pull, cannotEnd }: UpgradeServiceInit,
  { image, allowDowngrade, withoutExtensions, hasExtensionSet, stage }: UpgradeSettings,
  turn: Disposable,
  signal: AbortSignal,
): Promise<UpgradeResponse> {
  if (hasExtensionSet || stage)
    throw new Fault('invalid-argument', 'the plan of a node has no set of extensions, and is not staged');
  if (cannotEnd !== undefined) throw new Fault('failed-precondition', cannotEnd);
  if (plans === undefined) throw new Fault('internal', 'this node has no plan of its upgrades');
  const actorId = randomUUID();
  const name = await pull(image, signal);
  // Again, as after an upload.
  await access.assertNoRollout(signal);
  const { id, over } = await plans.begin(
    {
      ...{ image: name, allowsDowngrade: allowDowngrade, actorId },
      ...{ dropsExtensions: withoutExtensions, ignoresEtcd: false, restart: 'graceful' },
    },
    signal,
  );
  void over.finally(() => turn[Symbol.dispose]());
  return { event: { $case: 'begun', value: { plan: id, actorId } } };
}

function settingsOf(first: UpgradeRequest | undefined): UpgradeSettings {
  if (first?.request?.$case === 'settings') return first.request.value;
  throw new Fault('invalid-argument', 'the first request of an upgrade must have its settings');
}

function checkSets({ hasExtensionSet, withoutExtensions }: UpgradeSettings): void {
  if (hasExtensionSet && withoutExtensions)
    throw new Fault('invalid-argument', 'an upgrade has either a set of extensions or none');
}

async function* chunksOf(requests: AsyncIterator<UpgradeRequest>): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { value, done } = await requests.next();
    if (done) return;
    if (value.request?.$case !== 'extensionSet')
      throw new Fault('invalid-argument', 'only pieces of a set of extensions may follow the settings');
    yield value.request.value;
  }
}

const lineEvent = (line: string): UpgradeResponse => ({ event: { $case: 'progress', value: { line } } });
const preparedEvent = (isStaged: boolean): UpgradeResponse => ({
  event: { $case: 'prepared', value: { isStaged } },
});
