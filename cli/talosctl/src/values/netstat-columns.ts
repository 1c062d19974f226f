import {
  type ConnectRecord,
  ConnectRecord_State,
  ConnectRecord_TimerActive,
} from '@nodewright/contract/gen/machine/machine.ts';

/** The flags that add columns. */
export interface ColumnFlags {
  readonly extend?: boolean;
  readonly programs?: boolean;
  readonly pods?: boolean;
  readonly timers?: boolean;
}

const ticksPerSecond = 100;

const stateNames = new Map<number, string>(
  Object.entries(ConnectRecord_State).map(([name, state]) => [Number(state), name]),
);
const timerNames = new Map<number, string>(
  Object.entries(ConnectRecord_TimerActive).map(([name, timer]) => [Number(timer), name.toLowerCase()]),
);

/** The text in the column State. It is empty for CLOSE, which is the state of every UDP socket without a peer. */
export function stateName(state: number): string {
  return state === ConnectRecord_State.CLOSE ? '' : (stateNames.get(state) ?? String(state));
}

function timer({ tr, timerwhen, retrnsmt, timeout }: ConnectRecord): string {
  const seconds = (Number(timerwhen) / ticksPerSecond).toFixed(2);
  return `${timerNames.get(tr) ?? tr} (${seconds}/${retrnsmt}/${timeout})`;
}

function program({ process }: ConnectRecord): string {
  return process === undefined || process.pid === 0 ? '-' : `${process.pid}/${process.name}`;
}

interface Column {
  readonly title: string;
  readonly isShown: (flags: ColumnFlags) => boolean;
  readonly cell: (record: ConnectRecord, podOf: (namespace: string) => string) => string;
}

const always = () => true;

/** Source: Talos v1.14: netstat. */
const columns: readonly Column[] = [
  { title: 'Proto', isShown: always, cell: ({ l4proto }) => l4proto },
  { title: 'Recv-Q', isShown: always, cell: ({ rxqueue }) => String(rxqueue) },
  { title: 'Send-Q', isShown: always, cell: ({ txqueue }) => String(txqueue) },
  { title: 'Local Address', isShown: always, cell: ({ localip, localport }) => `${localip}:${localport}` },
  {
    title: 'Foreign Address',
    isShown: always,
    cell: ({ remoteip, remoteport }) => `${remoteip}:${remoteport === 0 ? '*' : remoteport}`,
  },
  { title: 'State', isShown: always, cell: ({ state }) => stateName(state) },
  { title: 'Uid', isShown: ({ extend = false }) => extend, cell: ({ uid }) => String(uid) },
  { title: 'Inode', isShown: ({ extend = false }) => extend, cell: ({ inode }) => String(inode) },
  { title: 'PID/Program name', isShown: ({ programs = false }) => programs, cell: program },
  { title: 'Pod', isShown: ({ pods = false }) => pods, cell: ({ netns }, podOf) => podOf(netns) },
  { title: 'Timer', isShown: ({ timers = false }) => timers, cell: timer },
];

/** The titles of the columns after the column with the node. */
export function socketTitles(flags: ColumnFlags): string[] {
  return columns.filter(({ isShown }) => isShown(flags)).map(({ title }) => title);
}

/** @param podOf returns the pod of a network namespace, or an empty text for the host's namespace. */
export function socketCells(
  record: ConnectRecord,
  flags: ColumnFlags,
  podOf: (namespace: string) => string,
): string[] {
  return columns.filter(({ isShown }) => isShown(flags)).map(({ cell }) => cell(record, podOf));
}
