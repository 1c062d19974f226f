import type { CommandModule } from '../context/command-module.ts';
import { addNodeOptions } from '../nodes/node-options.ts';
import { defineEtcdAlarm } from './etcd/alarm.ts';
import { defineEtcdDowngrade } from './etcd/downgrade.ts';
import { defineEtcdDefrag, defineEtcdForfeitLeadership } from './etcd/maintenance.ts';
import { defineEtcdMembers } from './etcd/members.ts';
import { defineEtcdLeave, defineEtcdRemoveMember } from './etcd/removal.ts';
import { defineEtcdSnapshot } from './etcd/snapshot.ts';
import { defineEtcdStatus } from './etcd/status.ts';

/** `talosctl etcd`: manages etcd on the control planes. Source: Talos v1.14: etcd commands. */
export const etcdCommand: CommandModule = {
  define(command, env) {
    addNodeOptions(command);
    defineEtcdAlarm(command, env);
    defineEtcdDefrag(command, env);
    defineEtcdDowngrade(command, env);
    defineEtcdForfeitLeadership(command, env);
    defineEtcdLeave(command, env);
    defineEtcdMembers(command, env);
    defineEtcdRemoveMember(command, env);
    defineEtcdSnapshot(command, env);
    defineEtcdStatus(command, env);
  },
};
