// The calls that upgrade a machine, over a machine in memory.
import type {
  LifecycleServiceImplementation,
  LifecycleServiceInstallProgress,
} from '@nodewright/contract/gen/machine/lifecycle.ts';
import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import type { UpgradeServiceImplementation } from '@nodewright/contract/gen/suite/upgrade/v1/upgrade.ts';
import type { CallContext } from 'nice-grpc';
import { freeNode, openTestPlans } from '../../upgrade-plan/testing/test-plans.ts';
import { UpgradeTurn } from '../domain/upgrade-turn.ts';
import { UpgradeAccess, type UpgradeAccessInit } from '../rpc/upgrade-access.ts';
import { createUpgradeApi, type UpgradeApiInit } from '../rpc/upgrade-api.ts';
import { FakeUpgrades } from './fake-upgrades.ts';

export interface TestCalls {
  readonly upgrades: FakeUpgrades;
  /** What happened beside the calls of `upgrades`, in order. */
  readonly events: unknown[];
  readonly lifecycle: LifecycleServiceImplementation;
  readonly machine: Pick<MachineServiceImplementation, 'upgrade' | 'rollback'>;
  readonly own: UpgradeServiceImplementation;
}

export async function testCalls(
  change: Partial<Omit<UpgradeApiInit, 'access'> & UpgradeAccessInit> = {},
): Promise<TestCalls> {
  const upgrades = new FakeUpgrades();
  const events: unknown[] = [];
  const assertMayUpgrade = change.assertMayUpgrade ?? (async () => void events.push(['etcd']));
  const { plans } = await openTestPlans({ hasKubelet: false, change: { upgrades, assertMayUpgrade } });
  plans.setSequences({
    async upgrade(kind, _actorId, work) {
      events.push(['sequence upgrade', kind]);
      await work(new AbortController().signal).catch(() => events.push(['sequence failed']));
    },
    restart: async () => {},
  });
  await plans.resume(freeNode, new AbortController().signal);
  const access = new UpgradeAccess({
    ...{
      upgrades,
      turn: new UpgradeTurn(),
      description: 'a machine',
      log: { info: () => {}, warn: () => {} },
    },
    rolloutProblem: async () => undefined,
    ...change,
  });
  const api = createUpgradeApi({
    ...{ access, cannotEnd: undefined },
    pull: async (image) => {
      events.push(['pull', image]);
      return `${image}@sha256:${'a'.repeat(64)}`;
    },
    ...{ assertMayUpgrade, plans },
    sequences: {
      stageUpgrade: async (kind) => void events.push(['sequence stageUpgrade', kind]),
      rollBack: async () => void events.push(['sequence reboot']),
    },
    received: {
      async receive(pieces) {
        let bytes = 0;
        for await (const piece of pieces) bytes += piece.length;
        events.push(['set', bytes]);
        return '/run/set';
      },
      remove: async () => void events.push(['set removed']),
    },
    ...change,
  });
  return {
    ...{ upgrades, events },
    lifecycle: api['machine.LifecycleService'] as LifecycleServiceImplementation,
    machine: api['machine.MachineService'] as TestCalls['machine'],
    own: api['suite.upgrade.v1.UpgradeService'] as UpgradeServiceImplementation,
  };
}

/** The context of a call whose client leaves when `signal` aborts. */
export const contextOf = (signal: AbortSignal = new AbortController().signal): CallContext =>
  ({ signal }) as CallContext;

interface Message {
  readonly progress?: LifecycleServiceInstallProgress;
}

/** All messages of a stream of progress: texts, and the exit code as a number. */
export async function progressOf(stream: AsyncIterable<object>): Promise<(string | number | undefined)[]> {
  const found = [];
  for await (const { progress } of stream as AsyncIterable<Message>) found.push(progress?.response?.value);
  return found;
}
