import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readTalosconfig, type TalosconfigContext } from '@nodewright/client/talosconfig';
import { decodeSecrets } from '@nodewright/machine-config';
import type { CertificateAndKey } from '@nodewright/pki';
import type { Node } from '../../cluster/cluster.ts';
import type { CreatedCluster } from '../../cluster/created-cluster.ts';
import { openDockerCluster } from '../../cluster/docker/docker-cluster.ts';
import { openNodeImageCluster } from '../../cluster/docker/node-image-cluster.ts';
import { openMachineCluster } from '../../cluster/machine/machine-cluster.ts';
import { openProcessCluster, type ProcessCluster } from '../../cluster/process/process-cluster.ts';
import type { OwnClusterKind } from '../options.ts';
import { openSubject } from './open-subject.ts';
import { seedFiles } from './seed-files.ts';
import type { Subject } from './subject.ts';

/** The current context of a talosconfig. */
export async function readContext(path: string): Promise<TalosconfigContext> {
  const config = await readTalosconfig(path);
  const context = config.contexts.get(config.context);
  if (context === undefined) throw new Error(`"${path}" has no current context`);
  return context;
}

/** The CA of client certificates from a secrets bundle. */
export async function readOsAuthority(path: string): Promise<CertificateAndKey> {
  return decodeSecrets(await readFile(path, 'utf8')).certs.os;
}

/** A subject whose daemons can be distinguished from restarted ones. */
export interface OwnCluster extends Subject, AsyncDisposable {
  /** The running instances, by `node/daemon`: the number changes with a restart. */
  instances(): Promise<Readonly<Record<string, number | undefined>>>;
}

const shape = { controlPlanes: 2, workers: 1 };

const openKind = (kind: OwnClusterKind): Promise<CreatedCluster<Node>> => {
  const openers: Readonly<Record<OwnClusterKind, () => Promise<CreatedCluster<Node>>>> = {
    process: openSeededCluster,
    docker: () => openDockerCluster(shape),
    'node-image': () => openNodeImageCluster(shape),
    qemu: openMachineCluster,
  };
  return openers[kind]();
};

async function openSeededCluster(): Promise<ProcessCluster> {
  const cluster = await openProcessCluster(shape, { name: 'conformance' });
  const [judged] = cluster.controlPlanes;
  if (judged !== undefined) await seedFiles(judged.root);
  return cluster;
}

/**
 * A new cluster of two control planes and a worker, or of one machine, made with the built command line as by a user. The
 * first control plane is tested, through its own endpoint. Disposing it destroys the cluster.
 */
export async function openOwnCluster(kind: OwnClusterKind): Promise<OwnCluster> {
  await using undo = new AsyncDisposableStack();
  const cluster = undo.use(await openKind(kind));
  const [judged, other] = cluster.controlPlanes;
  const subject = undo.use(
    await openSubject({
      context: await cluster.context('os:admin'),
      endpoint: judged?.address,
      // A machine is known to its clients by the port that leads to it.
      node: kind === 'qemu' ? undefined : judged?.address,
      otherNode: other?.address,
      worker: cluster.workers[0]?.address,
      ca: await readOsAuthority(join(cluster.view.folder, 'secrets.yaml')),
    }),
  );
  const scope = undo.move();
  const instances = async () => {
    const daemons = cluster.nodes.flatMap((node) =>
      (['machined', 'apid'] as const).map(
        async (daemon) => [`${node.name}/${daemon}`, await node.instanceOf(daemon)] as const,
      ),
    );
    return Object.fromEntries(await Promise.all(daemons));
  };
  return Object.assign(subject, { instances, [Symbol.asyncDispose]: () => scope.disposeAsync() });
}
