import type { TopicRow } from './topic-row.ts';
import * as containers from './topic-rows/container-rows.ts';
import * as machine from './topic-rows/machine-rows.ts';
import * as services from './topic-rows/service-rows.ts';

/** The topics of a node and what they share, each after those that it needs. They end in reverse order. */
export const topicList: readonly TopicRow[] = [
  services.servicesRow,
  services.configRow,
  services.devicesRow,
  containers.ownContainersRow,
  containers.runtimeRow,
  containers.containersRow,
  containers.etcdRow,
  containers.podProblemsRow,
  containers.kubeletRow,
  containers.kubeNodeRow,
  containers.kubernetesRow,
  services.clusterRow,
  services.daemonsRow,
  services.extensionsRow,
  machine.volumesRow,
  machine.slowCallsRow,
  machine.hardwareRow,
  machine.networkRow,
  machine.lifeRow,
  machine.filesRow,
  machine.logsRow,
  machine.kernelRow,
  machine.secretsRow,
  machine.timeRow,
];
