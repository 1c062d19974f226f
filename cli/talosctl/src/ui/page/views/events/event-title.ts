import { countText } from '../../parts/figures.ts';
import { hasFailed, type NodeEvent } from './group-events.ts';

type Words = readonly [running: string, ended: string];

/** What a sequence does to its nodes, while it runs and after it. */
const sequenceWords: Readonly<Record<string, Words>> = {
  boot: ['boots', 'booted'],
  install: ['installs', 'installed'],
  reboot: ['reboots', 'rebooted'],
  reset: ['resets itself', 'reset itself'],
  shutdown: ['shuts down', 'shut down'],
  upgrade: ['upgrades', 'upgraded'],
};

/** What has become of a service, from the first word of its event. */
const serviceWords: Readonly<Record<string, string>> = {
  ...{ INITIALIZED: 'is prepared', PREPARING: 'is prepared', WAITING: 'waits', STARTING: 'starts' },
  ...{ RUNNING: 'runs', STOPPING: 'stops', FINISHED: 'ended', FAILED: 'failed', SKIPPED: 'was skipped' },
};

/**
 * What happened, as a sentence without its end: `node02 rebooted`, `etcd failed on node01: exited`.
 *
 * @param events of one group, the oldest first
 */
export function eventTitle(events: readonly NodeEvent[]): string {
  const sequences = events.filter(({ type }) => type === 'Sequence');
  if (sequences.length > 0) {
    const names = [...new Set(sequences.map(({ source }) => source))];
    return names.map((name) => sequenceTitle(name, lastOfEach(sequences, name))).join('; ');
  }
  const services = events.filter(({ type }) => type === 'ServiceState');
  if (services.length > 0) return serviceTitle(services);
  return otherTitle(events);
}

/** The last event of this source on each node. */
const lastOfEach = (events: readonly NodeEvent[], source: string) => [
  ...new Map(events.filter((event) => event.source === source).map((event) => [event.node, event])).values(),
];

function sequenceTitle(name: string, last: readonly NodeEvent[]): string {
  const [running, ended] = sequenceWords[name] ?? [`runs ${name}`, `has run ${name}`];
  const failed = last.find(hasFailed);
  if (failed !== undefined) return `${name} of ${failed.node} failed: ${reasonOf(failed)}`;
  const isOver = last.every(({ message }) => message === 'STOP');
  if (last.length === 1) return `${last[0]?.node} ${isOver ? ended : running}`;
  const verb = isOver ? ended : running.replace(/^(\w+?)(es|s)\b/, (_, stem, end) => pluralOf(stem, end));
  return `${countText(last.length, 'node')} ${verb.replace('itself', 'themselves')}`;
}

/** `boots` of one node is `boot` of several. */
const pluralOf = (stem: string, end: string) =>
  end === 'es' && !/(sh|ch|x|ss)$/.test(stem) ? `${stem}e` : stem;

function serviceTitle(events: readonly NodeEvent[]): string {
  const last = [...new Map(events.map((event) => [`${event.node} ${event.source}`, event])).values()];
  const failed = events.findLast(hasFailed);
  if (failed !== undefined) {
    const now = last.find(({ node, source }) => node === failed.node && source === failed.source);
    const after = now === failed || now === undefined ? '' : `, and ${stateOf(now)} now`;
    return `${failed.source} failed on ${failed.node}: ${reasonOf(failed)}${after}`;
  }
  const byState = Map.groupBy(last, stateOf);
  const parts = [...byState].map(([state, members]) => {
    const services = [...new Set(members.map(({ source }) => source))];
    const shown = services.length > 3 ? `${countText(services.length, 'service')}` : services.join(', ');
    return `${shown} ${services.length > 1 ? severalOf(state) : state}`;
  });
  const nodes = [...new Set(last.map(({ node }) => node))];
  return `${parts.join('; ')} on ${nodes.length > 2 ? countText(nodes.length, 'node') : nodes.join(', ')}`;
}

const stateOf = ({ message }: NodeEvent) => serviceWords[message.split(':', 1)[0] ?? ''] ?? 'changed';

const several: Readonly<Record<string, string>> = {
  ...{ runs: 'run', stops: 'stop', starts: 'start', waits: 'wait' },
  ...{ 'is prepared': 'are prepared', 'was skipped': 'were skipped' },
};
const severalOf = (state: string) => several[state] ?? state;

function otherTitle(events: readonly NodeEvent[]): string {
  const last = events.at(-1);
  if (last === undefined) return 'nothing';
  const { type, source, message, node } = last;
  if (type === 'ConfigLoadError') return `${node} cannot load its configuration: ${message}`;
  if (type === 'ConfigValidationError') return `${node} refuses a configuration: ${message}`;
  if (type === 'MachineStatus') {
    const isReady = message.startsWith('ready: true');
    const unmet = /unmet conditions: \[(.+)\]/.exec(message)?.[1];
    const state = isReady
      ? 'ready'
      : `not ready${unmet === undefined ? '' : `: ${unmet.replaceAll(' ', ', ')}`}`;
    return `${node} is ${source.toLowerCase()}, ${state}`;
  }
  if (type === 'Address')
    return `${node} has the addresses ${message.replace(/^ADDRESSES: /, '').replaceAll(',', ', ')}`;
  if (type === 'Restart') return `${node} restarts`;
  return `${source} on ${node}: ${message}`;
}

const reasonOf = ({ message }: NodeEvent) => message.replace(/^(error|FAILED):\s*/i, '');
