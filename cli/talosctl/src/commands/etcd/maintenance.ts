import { pause } from '@nodewright/async';
import type { NodeClient } from '@nodewright/client';
import { Fault } from '@nodewright/fault';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { MemberTurns } from '../../etcd/member-turns.ts';
import { onlyMessage } from '../../nodes/only-message.ts';
import { targetNames } from '../../nodes/open-client.ts';
import { reportDone } from '../../nodes/report-done.ts';
import { addEtcdCommand, type EtcdOptions, requireOneNode } from './etcd-options.ts';

type DefragOptions = EtcdOptions & { readonly oneAtATime?: boolean };

/** How often and how long to ask a member whether it sees a leader again, after it has freed its space. */
const lookMs = 500;
const recoveryMs = 60_000;

/**
 * `talosctl etcd defrag`: works on one member at a time, because a member answers no requests meanwhile.
 * Source: Talos v1.14: etcd defrag. The flag `--one-at-a-time` is our own.
 */
export function defineEtcdDefrag(etcd: Command, env: CliEnvironment): void {
  addEtcdCommand(etcd, 'defrag', 'Defragment the database of a member to free unused space')
    .option('--one-at-a-time', 'defragment all named nodes, one after the other, the leader last')
    .action(async (_: DefragOptions, command: Command) => {
      const options = command.optsWithGlobals<DefragOptions>();
      if (options.oneAtATime === true) return defragmentInTurn(env, options);
      await requireOneNode(env, options, 'etcd defrag');
      await reportDone(env, options, async ({ machine }, signal) => {
        await machine.etcdDefragment({}, { signal });
        return undefined;
      });
    });
}

async function defragmentInTurn(env: CliEnvironment, options: EtcdOptions): Promise<void> {
  const turns = new MemberTurns(await targetNames(env, options));
  await reportDone(env, options, async ({ name, machine }, signal) => {
    await turns.run(name, {
      isLeader: () => leads(machine, signal),
      async work() {
        await machine.etcdDefragment({}, { signal });
        await untilWell(machine, signal);
      },
    });
    return undefined;
  });
}

/** Whether the member is the leader. @throws Fault when it does not answer, or sees no leader */
async function leads(machine: NodeClient['machine'], signal: AbortSignal): Promise<boolean> {
  const { memberStatus } = onlyMessage(await machine.etcdStatus({}, { signal }));
  if (memberStatus === undefined) throw new Fault('internal', 'the reply contains no status');
  const { memberId, leader } = memberStatus;
  if (leader === 0n) throw new Fault('unavailable', 'the member of etcd sees no leader');
  return memberId === leader;
}

/** Resolves when the member takes part again. @throws what it said last, after a minute */
async function untilWell(machine: NodeClient['machine'], signal: AbortSignal): Promise<void> {
  const endMs = performance.now() + recoveryMs;
  for (;;) {
    try {
      await leads(machine, signal);
      return;
    } catch (error) {
      if (signal.aborted || performance.now() > endMs) throw error;
      await pause(lookMs, signal);
    }
  }
}

/** `talosctl etcd forfeit-leadership`. Source: Talos v1.14: etcd forfeit-leadership. */
export function defineEtcdForfeitLeadership(etcd: Command, env: CliEnvironment): void {
  addEtcdCommand(etcd, 'forfeit-leadership', 'Let another member become the leader').action(
    (_: EtcdOptions, command: Command) =>
      reportDone(env, command.optsWithGlobals<EtcdOptions>(), async ({ machine }, signal) => {
        const { member } = onlyMessage(await machine.etcdForfeitLeadership({}, { signal }));
        return { leader: member };
      }),
  );
}
