import type { Command } from 'commander';
import type { CliEnvironment } from '../../command-module.ts';
import { onlyMessage } from '../../only-message.ts';
import { reportDone } from '../../report-done.ts';
import { addEtcdCommand, type EtcdOptions, requireOneNode } from './etcd-options.ts';

/**
 * `talosctl etcd defrag`: works on one member at a time, because a member answers no requests meanwhile.
 * Source: Talos v1.14: etcd defrag.
 */
export function defineEtcdDefrag(etcd: Command, env: CliEnvironment): void {
  addEtcdCommand(etcd, 'defrag', 'Defragment the database of a member to free unused space').action(
    async (_: EtcdOptions, command: Command) => {
      const options = command.optsWithGlobals<EtcdOptions>();
      await requireOneNode(env, options, 'etcd defrag');
      await reportDone(env, options, async ({ machine }, signal) => {
        await machine.etcdDefragment({}, { signal });
        return undefined;
      });
    },
  );
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
