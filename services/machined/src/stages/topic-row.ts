// The stage that opens the topics is a list of rows. Each row names what it needs of the rows before it, and offers one thing.
import type { ContainerRuntime } from '@nodewright/containers';
import type { VolumeId } from '@nodewright/contract/volumes';
import { Fault } from '@nodewright/fault';
import type { FileSystemSizes, SlowCalls } from '@nodewright/linux';
import type { NodeAbilities } from '../base/domain/node-abilities.ts';
import type { SelectorEvaluator } from '../base/domain/selectors.ts';
import type { MountedPartition } from '../base/host/mounted-partition.ts';
import type { Topic } from '../base/topic.ts';
import type { ClusterTopic } from '../cluster/open-cluster.ts';
import type { ConfigTopic } from '../config/open-config.ts';
import type { OwnContainers } from '../containers/host/own-containers.ts';
import type { ContainersTopic } from '../containers/open-containers.ts';
import type { DaemonsTopic } from '../daemons/open-daemons.ts';
import type { DevicesTopic } from '../devices/open-devices.ts';
import type { EtcdTopic } from '../etcd/open-etcd.ts';
import type { ExtensionsTopic } from '../extensions/open-extensions.ts';
import type { HardwareTopic } from '../hardware/open-hardware.ts';
import type { KubeNodeTopic } from '../kube-node/open-kube-node.ts';
import type { KubeletTopic } from '../kubelet/open-kubelet.ts';
import type { PodProblems } from '../kubernetes/host/pod-problems.ts';
import type { KubernetesTopic } from '../kubernetes/open-kubernetes.ts';
import type { LifeTopic } from '../life/open-life.ts';
import type { NetworkTopic } from '../network/open-network.ts';
import type { ServicesTopic } from '../services/open-services.ts';
import type { TimeTopic } from '../time/open-time.ts';
import type { ArtefactStore } from '../upgrade/host/artefact-store.ts';
import type { UpgradeTopic } from '../upgrade/open-upgrade.ts';
import type { UpgradeCallsTopic } from '../upgrade-calls/upgrade-calls-topic.ts';
import type { UpgradePlanTopic } from '../upgrade-plan/upgrade-plan-topic.ts';
import type { VolumesTopic } from '../volumes/open-volumes.ts';
import type { Host } from './open-host.ts';
import type { SharedState } from './open-state.ts';

/** What every row gets: the host, the resources of the node, and what the node can do. */
export interface OpenedHost extends Host, SharedState {
  readonly abilities: NodeAbilities;
  readonly hostname: () => string;
}

/** The topics by folder name. One that may be absent needs an ability that some nodes lack. */
export interface OfferedTopics {
  readonly services: ServicesTopic;
  readonly config: ConfigTopic;
  readonly devices: DevicesTopic;
  readonly containers: ContainersTopic;
  readonly etcd: EtcdTopic;
  readonly kubelet?: KubeletTopic;
  readonly 'kube-node'?: KubeNodeTopic;
  readonly kubernetes: KubernetesTopic;
  readonly cluster: ClusterTopic;
  readonly daemons: DaemonsTopic;
  readonly extensions: ExtensionsTopic;
  readonly volumes: VolumesTopic<VolumeId>;
  readonly hardware: HardwareTopic;
  readonly network: NetworkTopic;
  readonly upgrade?: UpgradeTopic;
  readonly 'upgrade-plan'?: UpgradePlanTopic;
  readonly 'upgrade-calls': UpgradeCallsTopic;
  readonly 'upgrade-rollout': Topic;
  readonly life: LifeTopic;
  readonly files: Topic;
  readonly logs: Topic;
  readonly kernel: Topic;
  readonly secrets: Topic;
  readonly time: TimeTopic;
}

export interface StartPartitions {
  readonly boot: MountedPartition;
  readonly efi: MountedPartition;
}

/** What several topics share and no topic owns. */
export interface OfferedParts {
  /** The partitions that a machine starts from; absent on other nodes, and on a machine without a system disk. */
  readonly startPartitions?: StartPartitions;
  /** The containers that machined runs without a runtime. */
  readonly ownContainers?: OwnContainers;
  readonly runtime?: ContainerRuntime;
  /** The artefacts of the installer that a machine keeps. */
  readonly artefacts?: ArtefactStore;
  /** Why the components of the control plane are not up to date or not ready. */
  readonly podProblems: PodProblems;
  /** What evaluates the selectors of the configuration, one at a time. */
  readonly selectors: SelectorEvaluator;
  /** Calls to file systems and disks, which may hang. */
  readonly slowCalls: SlowCalls & { readonly sizes: FileSystemSizes };
}

export type Offered = OfferedTopics & OfferedParts;
export type OfferName = keyof Offered;

export interface TopicRow {
  readonly name: OfferName;
  readonly kind: 'topic' | 'part';
  /** The rows that must have been opened before. */
  readonly needs: readonly OfferName[];
  /** Without this ability the node has no such row. */
  readonly isPresent: (abilities: NodeAbilities) => boolean;
  readonly open: (host: OpenedHost, given: Offered, scope: AsyncDisposableStack) => unknown;
  /** The controllers of this topic run as soon as it is open, and the rows after it are opened when this resolves. */
  readonly started?: (topic: Topic, signal: AbortSignal) => Promise<void>;
}

interface RowInit<Name extends OfferName, Needs extends readonly OfferName[]> {
  readonly name: Name;
  readonly needs: Needs;
  readonly isPresent?: (abilities: NodeAbilities) => boolean;
  /** The types allow only what `needs` names. What is opened ends with `scope`. */
  readonly open: (
    host: OpenedHost,
    given: Pick<Offered, Needs[number]>,
    scope: AsyncDisposableStack,
  ) => Offered[Name] | Promise<Offered[Name]>;
}

const always = () => true;

/** A row that opens a topic. */
export function topicRow<Name extends keyof OfferedTopics, const Needs extends readonly OfferName[]>(
  init: RowInit<Name, Needs>,
): TopicRow {
  return { kind: 'topic', isPresent: always, ...init };
}

/** A row that opens a topic whose controllers run before the topics after it are open. */
export function earlyTopicRow<Name extends keyof OfferedTopics, const Needs extends readonly OfferName[]>({
  started,
  ...init
}: RowInit<Name, Needs> & {
  /** What the rows after it wait for. */
  readonly started: (topic: Required<OfferedTopics>[Name], signal: AbortSignal) => Promise<void>;
}): TopicRow {
  return { ...topicRow<Name, Needs>(init), started: started as Required<TopicRow>['started'] };
}

/** A row that opens what several topics share. */
export function partRow<Name extends keyof OfferedParts, const Needs extends readonly OfferName[]>(
  init: RowInit<Name, Needs>,
): TopicRow {
  return { kind: 'part', isPresent: always, ...init };
}

/** The needs that no earlier row offers, as `life needs network`; empty for a list in order. */
export function missingNeeds(rows: readonly Pick<TopicRow, 'name' | 'needs'>[]): string[] {
  return rows.flatMap(({ name, needs }, index) => {
    const earlier = rows.slice(0, index).map((row) => row.name);
    return needs.filter((need) => !earlier.includes(need)).map((need) => `${name} needs ${need}`);
  });
}

/**
 * Opens the rows in their order, without those for which the node lacks an ability.
 *
 * @throws Fault `internal` when a row stands before one that it needs; nothing is opened then
 */
export async function openRows(
  rows: readonly TopicRow[],
  host: OpenedHost,
  scope: AsyncDisposableStack,
): Promise<Offered> {
  const [problem] = missingNeeds(rows);
  if (problem !== undefined) throw new Fault('internal', `the list of topics is not in order: ${problem}`);
  const offered: Record<string, unknown> = {};
  for (const { name, isPresent, open, started } of rows) {
    if (!isPresent(host.abilities)) continue;
    offered[name] = await open(host, offered as unknown as Offered, scope);
    const topic = offered[name] as Topic;
    if (started === undefined) continue;
    for (const controller of topic.controllers) host.controllers.register(controller);
    await started(topic, host.signal);
  }
  return offered as unknown as Offered;
}
