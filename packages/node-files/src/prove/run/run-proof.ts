import type { LocalReason, LocalReplacement } from '@nodewright/machine-config';
import { type Availability, longestKnownGapMs, wasAvailable } from './availability.ts';
import type { ProcessOutcome } from './compare-processes.ts';

/** What was seen when three control planes of processes took the new configuration, one node after the other. */
export interface RunProof {
  readonly nodes: readonly { readonly name: string; readonly seconds: number }[];
  readonly processes: readonly ProcessOutcome[];
  readonly availability: Availability;
  readonly replaced: readonly LocalReplacement[];
  /** What nodes of processes cannot show, one line each. */
  readonly notShown: readonly string[];
  /** Of the cluster with the old configuration, until all its API servers were ready. */
  readonly startSeconds: number;
  /** Of the whole run, with the end of the cluster. */
  readonly seconds: number;
}

/** What no node of processes can show. */
export const notShownByProcesses: readonly string[] = [
  'the kubelet, pods, the network of pods and the manifests of users: nodes of processes run no containers',
  'disks, volumes, the installation and upgrades: they depend on the disks of a machine',
  'links, addresses, routes, firewall rules and name resolution: the nodes have loopback addresses of this host',
  'kernel parameters, kernel modules, devices and a boot: the kernel is that of this host',
  'what other hosts answer: nothing of the file that names one is used',
];

/** Whether no service restarted that should not have, and the API answered at each moment. */
export function isShown({ processes, availability }: Pick<RunProof, 'processes' | 'availability'>): boolean {
  return wasAvailable(availability) && processes.length > 0 && !processes.some(isWrong);
}

/** One that ended or started without another configuration of its own cannot be explained either. */
const isWrong = ({ outcome }: ProcessOutcome) =>
  outcome === 'restarted-equal' || outcome === 'ended' || outcome === 'started';

const reasons: Readonly<Record<LocalReason, string>> = {
  secrets: 'secrets of the local cluster in place of',
  addresses: 'addresses, names and the endpoint of the local cluster in place of',
  images: 'programs of the local cluster in place of the images in',
  hosts: 'left out, because other hosts or their files are named in',
  disks: 'left out, because the nodes have no disks',
  links: 'left out, because the nodes have no links of their own',
  kubelet: 'left out, because the nodes run no kubelet',
  containers: 'left out, because the nodes run no containers',
  machine: 'left out, because only a machine acts on',
};

const maxKeys = 40;

/** A run for people, one line each. It has no values of the configuration. */
export function formatRunProof(proof: RunProof): string[] {
  const { processes, nodes, replaced, notShown, startSeconds, seconds } = proof;
  return [
    ...Object.entries(reasons).flatMap(([reason, text]) => {
      const keys = replaced.filter((each) => each.reason === reason).map(({ key }) => key);
      return keys.length === 0 ? [] : [`replaced: ${text}: ${listed([...new Set(keys)])}`];
    }),
    ...notShown.map((text) => `not shown: ${text}`),
    ...processes.map(lineOf),
    availabilityLine(proof.availability),
    `the cluster started in ${startSeconds.toFixed(1)} s, ${nodes
      .map((node) => `${node.name} took the new configuration in ${node.seconds.toFixed(1)} s`)
      .join(', ')}, all in ${seconds.toFixed(1)} s`,
  ];
}

const listed = (keys: readonly string[]) =>
  keys.length <= maxKeys
    ? keys.join(', ')
    : `${keys.slice(0, maxKeys).join(', ')} and ${keys.length - maxKeys} more`;

function lineOf({ node, service, outcome, pids: [before, after], differs }: ProcessOutcome): string {
  const other = differs.length === 0 ? '' : ` (different: ${differs.join(', ')})`;
  const texts: Readonly<Record<ProcessOutcome['outcome'], string>> = {
    kept: `kept: ${node}: ${service} is still process ${before}${other}`,
    restarted: `restarted: ${node}: ${service} is process ${after} in place of ${before}${other}`,
    'restarted-equal': `WRONG: ${node}: ${service} is process ${after} in place of ${before}, although its arguments and files are equal`,
    ended: `WRONG: ${node}: ${service}, process ${before}, does not run any more`,
    started: `WRONG: ${node}: ${service}, process ${after}, did not run before`,
  };
  return texts[outcome];
}

function availabilityLine(availability: Availability): string {
  const { requests, seconds, unanswered, unansweredAt, answeredBy, longestGapMs, slowestMs } = availability;
  const sent = `${requests} requests in ${seconds.toFixed(1)} s, each to ${answeredBy.length} API servers (answered: ${answeredBy.join(', ')})`;
  if (requests === 0) return 'WRONG: no request was sent';
  if (unanswered > 0)
    return `WRONG: ${sent}: ${unanswered} were answered by none, after ${unansweredAt.map((at) => at.toFixed(1)).join(', ')} s`;
  if (longestGapMs > longestKnownGapMs)
    return `WRONG: ${sent}: none was sent for ${Math.round(longestGapMs)} ms, and what was then is not known`;
  return `answered: ${sent}: at least one answered each, the slowest after ${Math.round(slowestMs)} ms`;
}
