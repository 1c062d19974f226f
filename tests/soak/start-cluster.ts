// Nodes with a real machined and a real apid each. Their third daemon writes the log lines that a test
// requests.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openTalosClient, type TalosClient } from '@nodewright/client';
import { type LogFile, openLogFile } from '@nodewright/daemon';
import { Secret } from '@nodewright/fault';

import type { SecretsBundle } from '@nodewright/machine-config';
import { issueCertificate } from '@nodewright/pki';
import { type DaemonProcess, eventually, spawnDaemon } from '@nodewright/testkit';
import { clusterSecrets } from '../contract/machined/harness/cluster-material.ts';
import { ownAddress, startNode } from '../contract/machined/harness/node-under-test.ts';

/** Replaces a daemon; the test writes its log. */
export const writingService = 'trustd';

export interface SoakNode {
  readonly address: string;
  /** The log of the node's third daemon: a shared file, as set by `LOG_FILE`. */
  readonly log: LogFile;
  readonly daemons: readonly { readonly name: string; readonly process: DaemonProcess }[];
}

export interface SoakCluster extends AsyncDisposable {
  readonly nodes: readonly SoakNode[];
  /** A reader's client that connects to the first node. */
  readonly talos: TalosClient;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Starts control planes that know each other. */
export async function startSoakCluster(count: number): Promise<SoakCluster> {
  await using undo = new AsyncDisposableStack();
  const secrets = await clusterSecrets();
  const addresses = Array.from({ length: count }, () => ownAddress());
  const members = {
    members: addresses.map((address, at) => ({
      hostname: `soak${at}`,
      addresses: [address],
      machineType: 'MACHINE_TYPE_CONTROL_PLANE',
    })),
  };
  const nodes: SoakNode[] = [];
  for (const address of addresses) {
    nodes.push(await startSoakNode({ address, secrets, members }, undo));
  }
  const talos = undo.use(await openReader(secrets, addresses));
  for (const { address } of nodes) {
    await eventually(
      () =>
        talos
          .node(address)
          .machine.version({})
          .then(() => true),
      {
        what: `answer of node ${address}`,
      },
    );
  }
  const scope = undo.move();
  return { nodes, talos, [Symbol.asyncDispose]: () => scope.disposeAsync() };
}

async function startSoakNode(
  init: { readonly address: string; readonly secrets: SecretsBundle; readonly members: unknown },
  scope: AsyncDisposableStack,
): Promise<SoakNode> {
  const { root, socket, address, machined } = scope.use(await startNode({ ...init, services: 'external' }));
  const runtimeSocket = join(root, 'system', 'run', 'apid', 'runtime.sock');
  const apid = scope.use(
    await spawnDaemon({
      name: 'apid',
      args: ['--runtime-socket', runtimeSocket, '--machined-socket', socket],
    }),
  );
  const folder = join(root, 'var', 'log', writingService);
  await mkdir(folder, { recursive: true });
  return {
    address,
    log: scope.use(openLogFile(join(folder, `${writingService}.log`))),
    daemons: [
      { name: 'machined', process: machined },
      { name: 'apid', process: apid },
    ],
  };
}

async function openReader({ certs }: SecretsBundle, nodes: readonly string[]): Promise<TalosClient> {
  const { certificate, key } = await issueCertificate({
    issuer: certs.os,
    subject: { organizations: ['os:reader'] },
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['clientAuth'],
    notBefore: new Date(),
    lifetimeHours: 1,
  });
  const identity = {
    ca: base64(certs.os.certificate),
    crt: base64(certificate),
    key: new Secret(base64(key)),
  };
  return openTalosClient({ context: { endpoints: nodes.slice(0, 1), nodes, ...identity } });
}
