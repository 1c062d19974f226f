import { etcdPorts, nodePaths, ports, roles } from '@nodewright/contract';
import { grpcCodeName, kindFromGrpcCode } from '@nodewright/fault';
import { code, markdownTable, type Page } from './page.ts';

/** What a client does about a failure of each kind. The closed set is that of packages/fault. */
const remedies: Readonly<Record<ReturnType<typeof kindFromGrpcCode>, string>> = {
  cancelled: 'The caller has ended the call, often with Ctrl-C. Nothing needs to be done.',
  unknown:
    'The node failed in a way that it does not classify. Read the log of the service that the message names.',
  'invalid-argument': 'The request is wrong, and will be wrong again. The message names the value.',
  'deadline-exceeded':
    'The answer took longer than the caller allowed. Check the node with `talosctl health`, or allow more time.',
  'not-found':
    'The resource, file, service or method does not exist. For names, the message has those that do.',
  'already-exists': 'It exists. Most often somebody else was faster, or the call was repeated.',
  'permission-denied':
    'The roles of the certificate do not allow the call. `talosctl config info` shows them.',
  'resource-exhausted':
    'A limit is reached: of calls, of bytes, or of space. The message names it; repeat later.',
  'failed-precondition': 'The node is not in the state that the call requires. The message names the state.',
  aborted: 'Another change came between. Read again, then repeat.',
  'out-of-range': 'The part that was asked for does not exist any more, such as old events.',
  unimplemented: 'This node does not have the method. The message has the reason.',
  internal: 'A defect of the node. Collect `talosctl support` and report it.',
  unavailable: 'A hop does not answer; the message names it. Reads may be repeated.',
  'data-loss': 'Data is damaged. Do not repeat; look at the disk.',
  unauthenticated: 'The certificate or the token is not accepted. Check the context and the clock.',
};

const codes = Array.from({ length: 16 }, (_, index) => index + 1);

/** Pages about what operators meet: ports, sockets and files, and the kinds of errors. */
export function operationPages(): Page[] {
  return [portsPage(), errorsPage()];
}

function portsPage(): Page {
  const rows = [
    [String(ports.apid), 'apid', 'every node', 'The API: gRPC over TLS 1.3 with client certificates'],
    [
      String(ports.trustd),
      'trustd',
      'control planes',
      'Certificates for joining nodes: gRPC over TLS with the join token',
    ],
    [String(etcdPorts.client), 'etcd', 'control planes', 'Clients of etcd, with client certificates'],
    [
      String(etcdPorts.peer),
      'etcd',
      'control planes',
      'Members of etcd among each other, with client certificates',
    ],
    [String(etcdPorts.http), 'etcd', 'control planes', 'Metrics and health of etcd, on loopback'],
  ];
  const paths = Object.entries(nodePaths).map(([name, path]) => [code(path), wordsOf(name)]);
  return {
    id: 'ports',
    title: 'Ports, sockets and files',
    group: 'Operation',
    markdown: `# Ports, sockets and files

## TCP ports

${markdownTable(['Port', 'Service', 'Where', 'Purpose'], rows)}

## Sockets and files of a node

Absolute on a machine. Below the folder of the node where nodes are processes.

${markdownTable(['Path', 'What it is'], paths)}

## Roles

A client certificate carries its roles in the organisation field of its subject.

${markdownTable(
  ['Role'],
  Object.values(roles).map((role) => [code(role)]),
)}`,
  };
}

/** `apidRuntimeSocket` becomes `apid runtime socket`. */
function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function errorsPage(): Page {
  const rows = codes.map((number) => {
    const kind = kindFromGrpcCode(number);
    return [String(number), code(grpcCodeName(number)), remedies[kind]];
  });
  return {
    id: 'errors',
    title: 'Errors',
    group: 'Operation',
    markdown: `# Errors

Every failed call has a gRPC status. Its message starts with what failed, names the value and the hop, and says what to do where
that is known. [Troubleshooting](troubleshooting.html) has messages that people meet often.

${markdownTable(['Number', 'Status', 'What it means for you'], rows)}`,
  };
}
