import { randomUUID } from 'node:crypto';
import {
  type MachineServiceImplementation,
  UpgradeRequest_RebootMode as RebootMode,
} from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import type { SystemRequest } from '../../upgrade/domain/upgrades.ts';
import type { UpgradePlanTopic } from '../../upgrade-plan/upgrade-plan-topic.ts';
import { checkImage } from '../domain/check-request.ts';
import type { UpgradeAccess } from './upgrade-access.ts';

/** The sequences that these calls begin. Each resolves when it is over, whatever its result: that is published as events. */
export interface UpgradeSequences {
  /** Restarts a machine whose next start begins with an upgrade. */
  stageUpgrade(kind: RestartKind, actorId: string): Promise<void>;
  /** Restarts the machine, and cancels any other sequence. */
  rollBack(): Promise<void>;
}

/** `power-cycle`: through the firmware. */
type RestartKind = 'graceful' | 'power-cycle';

export interface MachineUpgradeInit {
  readonly access: UpgradeAccess;
  readonly sequences: UpgradeSequences;
  /** The plan of this node; undefined on a node that no call upgrades. */
  readonly plans: Pick<UpgradePlanTopic['plans'], 'begin'> | undefined;
  /** Why this process cannot end its machine; undefined when it can. */
  readonly cannotEnd: string | undefined;
  /**
   * Brings an artefact into the store of this node, as far as the node has one, and checks what its documents say.
   *
   * @returns the name with the digest
   * @throws Fault as a pull
   */
  readonly pull: (image: string, signal: AbortSignal) => Promise<string>;
  /** @throws Fault `failed-precondition` with the reason when etcd cannot do without this member for a while */
  readonly assertMayUpgrade: (signal: AbortSignal) => Promise<void>;
}

/**
 * Upgrade and Rollback of MachineService. Upgrade answers when all that can be checked first is checked, and the plan of the node begins
 * then, whether the client stays or not. Source: Talos v1.14: MachineService, upgrade; rollback.
 */
export function createMachineUpgrade(
  init: MachineUpgradeInit,
): Pick<MachineServiceImplementation, 'upgrade' | 'rollback'> {
  const { access, sequences, plans, cannotEnd, pull, assertMayUpgrade } = init;
  const assertCanEnd = () => {
    if (cannotEnd !== undefined) throw new Fault('failed-precondition', cannotEnd);
  };
  return {
    async upgrade({ image, preserve, stage, force, rebootMode }, { signal }) {
      const { upgrades } = access;
      assertCanEnd();
      const kind = kindOf(rebootMode);
      using waiting = new DisposableStack();
      const turn = waiting.use(access.take('installed'));
      await access.assertNoRollout(signal);
      const name = await pull(checkImage(image), signal);
      // These two flags leave out nothing else: EPHEMERAL stays in any case.
      const ignoresEtcd = preserve || force;
      const actorId = randomUUID();
      const wish = { image: name, allowsDowngrade: false, dropsExtensions: false };
      if (stage) {
        if (!ignoresEtcd) await assertMayUpgrade(signal);
        // Again: the pull takes minutes, in which a roll-out may have begun.
        await access.assertNoRollout(signal);
        signal.throwIfAborted();
        const wanted: SystemRequest = { ...wish, extensionSet: undefined };
        await upgrades.stage(wanted);
        void sequences.stageUpgrade(kind, actorId);
        return { messages: [{ ack: 'the upgrade is staged: the next start begins with it', actorId }] };
      }
      if (plans === undefined) throw new Fault('internal', 'this node has no plan of its upgrades');
      await access.assertNoRollout(signal);
      const { over } = await plans.begin({ ...wish, ignoresEtcd, restart: kind, actorId }, signal);
      waiting.move();
      void over.finally(() => turn[Symbol.dispose]());
      return { messages: [{ ack: 'the upgrade has begun', actorId }] };
    },
    async rollback() {
      const { upgrades } = access;
      assertCanEnd();
      using _turn = access.take('installed');
      await upgrades.rollback();
      void sequences.rollBack();
      return { messages: [{}] };
    },
  };
}

function kindOf(mode: number): RestartKind {
  if (mode === RebootMode.DEFAULT) return 'graceful';
  if (mode === RebootMode.POWERCYCLE) return 'power-cycle';
  throw new Fault('invalid-argument', `invalid reboot mode: ${mode}`);
}
