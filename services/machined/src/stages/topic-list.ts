import type { TopicRow } from './topic-row.ts';
import * as containers from './topic-rows/container-rows.ts';
import * as machine from './topic-rows/machine-rows.ts';
import * as services from './topic-rows/service-rows.ts';

/** The topics of a node and what they share, each after those that it needs. They end in reverse order. */
export const topicList: readonly TopicRow[] = [
  machine.timeRow,
  services.servicesRow,
  services.devicesRow,
  machine.selectorsRow,
  // No row before it reads a file of the node: volumes complete a reset that was interrupted.
  machine.volumesRow,
  machine.startPartitionsRow,
  services.configRow,
  containers.ownContainersRow,
  containers.runtimeRow,
  containers.artefactsRow,
  containers.containersRow,
  containers.etcdRow,
  containers.podProblemsRow,
  containers.kubeletRow,
  containers.kubeNodeRow,
  containers.kubernetesRow,
  services.clusterRow,
  services.daemonsRow,
  services.extensionsRow,
  machine.slowCallsRow,
  machine.hardwareRow,
  machine.networkRow,
  machine.upgradeRow,
  machine.upgradePlanRow,
  machine.lifeRow,
  machine.upgradeCallsRow,
  machine.upgradeRolloutRow,
  machine.filesRow,
  machine.logsRow,
  machine.kernelRow,
  machine.secretsRow,
];
