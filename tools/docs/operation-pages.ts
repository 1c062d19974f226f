import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { etcdPorts, kubernetesPorts, nodePaths, ports, roles } from '@nodewright/contract';
import { grpcCodeName, kindFromGrpcCode } from '@nodewright/fault';
import { anchorOf, code, markdownTable, type Page, prose } from './page.ts';

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

/** Pages about what operators meet: ports, sockets and files, and errors. */
export async function operationPages(root: string): Promise<Page[]> {
  const read = (path: string) => readFile(join(root, path), 'utf8');
  return [
    portsPage(await read('packages/contract/src/paths.ts')),
    errorsPage(await read('docs/troubleshooting.md')),
  ];
}

/** @param paths the source of the table of paths, whose comments say what each is */
function portsPage(paths: string): Page {
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
    [
      String(ports.registryd),
      'registryd',
      'nodes with an image cache',
      'Images for the container runtime, on loopback',
    ],
    [
      String(kubernetesPorts.apiServer),
      'kube-apiserver',
      'control planes with Kubernetes',
      'The API of Kubernetes: HTTPS with client certificates and tokens',
    ],
    [
      String(kubernetesPorts.controllerManager),
      'kube-controller-manager',
      'control planes with Kubernetes',
      'Health and metrics, on loopback',
    ],
    [
      String(kubernetesPorts.scheduler),
      'kube-scheduler',
      'control planes with Kubernetes',
      'Health and metrics, on loopback',
    ],
  ];
  const known = Object.entries(nodePaths).map(([name, path]) => [code(path), meaningOf(name, paths)]);
  const isSocket = ([path = '']: readonly string[]) => path.endsWith('.sock`');
  return {
    id: 'ports',
    madeBy: 'tools/docs/operation-pages.ts',
    title: 'Ports, sockets and files',
    group: 'Operation',
    markdown: `# Ports, sockets and files

## TCP ports

${markdownTable(['Port', 'Service', 'Where', 'Purpose'], rows)}

## Unix sockets

Paths are absolute on a machine, and below the folder of the node where nodes are processes. Only the first is for programs of others;
the others connect daemons of a node.

${markdownTable(['Path', 'What it is'], known.filter(isSocket))}

## Files and folders

${markdownTable(
  ['Path', 'What it is'],
  known.filter((row) => !isSocket(row)),
)}

## Roles

A client certificate carries its roles in the organisation field of its subject.

${markdownTable(
  ['Role'],
  Object.values(roles).map((role) => [code(role)]),
)}`,
  };
}

/** The comment on a path in the source of the table; without one the words of its name: `logs`. */
function meaningOf(name: string, source: string): string {
  const comment = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*?)\\*/\\s*${name}:`).exec(source)?.[1];
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return comment === undefined ? words : comment.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim();
}

/** @param guide the troubleshooting guide, whose headings are messages */
function errorsPage(guide: string): Page {
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
that is known.

## Messages

\`…\` stands for names and values. [Troubleshooting](troubleshooting.html) says what to do about each.

${markdownTable(['Message', 'Cause'], messageRows(guide))}

## Statuses

${markdownTable(['Number', 'Status', 'What it means for you'], rows)}`,
  };
}

/** Each message of the guide with a link to it, and the first sentence of what the guide says. */
function messageRows(guide: string): string[][] {
  return [...guide.matchAll(/^### (.+)\n\n((?:(?!^#)[\s\S])*?)(?:\n\n|$(?![\s\S]))/gm)].map(
    ([, message = '', text = '']) => [
      `[${prose(message)}](troubleshooting.html#${anchorOf(message)})`,
      firstSentence(text.replaceAll('\n', ' ')),
    ],
  );
}

const firstSentence = (text: string): string => /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
