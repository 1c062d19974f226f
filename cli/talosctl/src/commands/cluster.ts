import type { CommandModule } from '../context/command-module.ts';
import { addClusterOptions } from '../local-clusters/cluster-options.ts';
import { defineClusterCreate } from './cluster/create.ts';
import { defineClusterDestroy } from './cluster/destroy.ts';
import { defineClusterJoin } from './cluster/join.ts';
import { defineClusterList } from './cluster/list.ts';
import { defineClusterLogs } from './cluster/logs.ts';
import { defineClusterShow } from './cluster/show.ts';
import { defineClusterStart, defineClusterStop } from './cluster/start-stop.ts';

/** `talosctl cluster`: manages clusters on this machine. Source: Talos v1.14: cluster. */
export const clusterCommand: CommandModule = {
  define(command, env) {
    addClusterOptions(command);
    defineClusterCreate(command, env);
    defineClusterShow(command, env);
    defineClusterDestroy(command, env);
    defineClusterLogs(command, env);
    defineClusterList(command, env);
    defineClusterJoin(command, env);
    defineClusterStart(command, env);
    defineClusterStop(command, env);
  },
};
