import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTalosconfig, type TalosconfigContext } from '@nodewright/client/talosconfig';
import { decodeSecrets } from '@nodewright/machine-config';
import type { CertificateAndKey } from '@nodewright/pki';
import type { ClusterView } from '@nodewright/provision';
import { runTalosctl } from '../../cluster/run-talosctl.ts';
import { openSubject } from './open-subject.ts';
import { seedFiles } from './seed-files.ts';
import type { Subject } from './subject.ts';

const name = 'conformance';

/** The current context of a talosconfig. */
export async function readContext(path: string): Promise<TalosconfigContext> {
  const config = await readTalosconfig(path);
  const context = config.contexts.get(config.context);
  if (context === undefined) throw new Error(`"${path}" has no current context`);
  return context;
}

/** The CA of clients out of a secrets bundle. */
export async function readOsAuthority(path: string): Promise<CertificateAndKey> {
  return decodeSecrets(await readFile(path, 'utf8')).certs.os;
}

export type OwnSubject = Subject & AsyncDisposable;

/**
 * A fresh cluster of two control planes and a worker, made with the built command line as a user would make it. The
 * first control plane is judged, by its own endpoint. Disposing it ends the cluster.
 */
export async function openOwnCluster(provisioner: 'process' | 'docker'): Promise<OwnSubject> {
  await using undo = new AsyncDisposableStack();
  const home = await mkdtemp(join(tmpdir(), 'conformance-'));
  undo.defer(() => rm(home, { recursive: true, force: true }));
  const provisionerFlags = ['--provisioner', provisioner, '--name', name];
  undo.defer(async () => {
    await runTalosctl(['cluster', 'destroy', ...provisionerFlags, '--force', '--if-present'], { home });
  });
  const created = await runTalosctl(
    ['cluster', 'create', ...provisionerFlags, '--controlplanes', '2', '--workers', '1', '-o', 'json'],
    { home },
  );
  if (created.exitCode !== 0) throw new Error(`no cluster was made: ${created.stderr.trim()}`);
  const { cluster } = JSON.parse(created.stdout) as { cluster: ClusterView };
  const [first, second] = cluster.nodes.filter(({ type }) => type === 'controlplane');
  if (first === undefined) throw new Error('the cluster has no control plane');

  if (provisioner === 'process') await seedFiles(join(cluster.folder, 'nodes', first.name));
  const subject = undo.use(
    await openSubject({
      context: await readContext(cluster.talosconfig?.path ?? join(home, 'config')),
      endpoint: first.address,
      node: first.address,
      otherNode: second?.address,
      worker: cluster.nodes.find(({ type }) => type === 'worker')?.address,
      ca: await readOsAuthority(join(cluster.folder, 'secrets.yaml')),
    }),
  );
  const scope = undo.move();
  return Object.assign(subject, { [Symbol.asyncDispose]: () => scope.disposeAsync() });
}
