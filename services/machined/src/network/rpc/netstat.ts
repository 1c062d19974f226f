import type {
  ConnectRecord,
  ConnectRecord_Process,
  ConnectRecord_State,
  ConnectRecord_TimerActive,
  MachineServiceImplementation,
} from '@nodewright/contract/gen/machine/machine.ts';
import { readSocketOwners, type SocketOwner, socketTableNames } from '@nodewright/linux';
import type { Telemetry } from '@nodewright/telemetry';
import { inSpan } from '../../base/host/in-span.ts';
import { selectSocket } from '../domain/select-socket.ts';
import { type FoundSocket, readSockets } from '../host/read-sockets.ts';

/**
 * Netstat: the sockets of the node, filtered by protocol, network namespace and state. Source: Talos v1.14:
 * Netstat.
 */
export function createNetstat(telemetry: Telemetry): Pick<MachineServiceImplementation, 'netstat'> {
  return {
    async netstat({ filter, feature, l4proto, netns }, { signal }) {
      const isWanted = selectSocket(filter);
      const tables = socketTableNames.filter((name) => l4proto?.[name] === true);
      const namespaces = netns ?? { hostnetwork: false, netns: [], allnetns: false };
      const sockets = await inSpan(telemetry, 'read sockets', () =>
        readSockets(tables, namespaces, isWanted, signal),
      );
      const owners =
        feature?.pid === true && sockets.length > 0
          ? await inSpan(telemetry, 'read socket owners', () => readSocketOwners('/proc', signal))
          : noOwners;
      return { messages: [{ connectrecord: sockets.map((socket) => recordFrom(socket, owners)) }] };
    },
  };
}

const noOwners: ReadonlyMap<bigint, SocketOwner> = new Map();
const unknownProcess: ConnectRecord_Process = { pid: 0, name: '' };

function recordFrom(
  { table, namespace, entry }: FoundSocket,
  owners: ReadonlyMap<bigint, SocketOwner>,
): ConnectRecord {
  return {
    l4proto: table,
    localip: entry.local.address,
    localport: entry.local.port,
    remoteip: entry.remote.address,
    remoteport: entry.remote.port,
    // The kernel's numbers; newer kernels have states without a name in the contract.
    state: entry.state as ConnectRecord_State,
    txqueue: entry.sendQueue,
    rxqueue: entry.receiveQueue,
    tr: entry.timer as ConnectRecord_TimerActive,
    timerwhen: entry.timerWhen,
    retrnsmt: entry.retransmits,
    uid: entry.uid,
    timeout: entry.timeout,
    inode: entry.inode,
    ref: entry.references,
    pointer: entry.pointer,
    // A socket without an inode has no process: it is about to be removed.
    process: (entry.inode === 0n ? undefined : owners.get(entry.inode)) ?? unknownProcess,
    netns: namespace,
  };
}
