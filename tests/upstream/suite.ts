import type { Check } from './check.ts';
import { actions } from './checks/actions.ts';
import { configurationChecks } from './checks/configuration.ts';
import { dashboardChecks } from './checks/dashboard.ts';
import { etcdChecks } from './checks/etcd.ts';
import { fileChecks } from './checks/files.ts';
import { nodeChecks } from './checks/node.ts';
import { offlineChecks } from './checks/offline.ts';
import { resourceChecks } from './checks/resources.ts';
import { roleChecks } from './checks/roles.ts';
import { unsupportedChecks } from './checks/unsupported.ts';

/** All checks on one cluster, in this order: those that remove members from etcd come last. */
export const suite: readonly Check[] = [
  ...nodeChecks,
  ...fileChecks,
  ...resourceChecks,
  ...dashboardChecks,
  ...roleChecks,
  ...configurationChecks,
  ...offlineChecks,
  ...unsupportedChecks,
  ...etcdChecks,
];

/** Every command that a check or an action runs. */
export const checkedCommands: ReadonlySet<string> = new Set(
  [...suite, ...actions].map(({ command }) => command),
);
