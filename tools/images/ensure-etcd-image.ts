import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runDocker, tryDocker } from '@nodewright/provision/engine';
import { etcdImage } from '../../packages/provision/src/domain/stack-document.ts';
import { ensureEtcd } from '../etcd/ensure-etcd.ts';
import { etcdPrograms } from '../etcd/etcd-release.ts';
import { nativeArchitecture } from './architecture.ts';
import { ensureBase } from './ensure-base.ts';

/** Source: Talos v1.14: etcd image. */
const publicImage = 'registry.k8s.io/etcd:v3.7.1';

export interface EnsureEtcdImageInit {
  readonly checkout: string;
  readonly epochSeconds: number;
  readonly note: (line: string) => void;
}

/**
 * Makes sure that the image of etcd for container nodes exists: present, pulled, or made from the checkout's
 * own programs. An image made here has a name of its own, because its release may be older than the public
 * one.
 */
export async function ensureEtcdImage({ checkout, epochSeconds, note }: EnsureEtcdImageInit): Promise<void> {
  const found = await tryDocker(['image', 'inspect', '--format', '{{.Id}}', etcdImage]);
  if (found.code === 0) return;
  const pulled = await tryDocker(['pull', '--quiet', publicImage]);
  if (pulled.code === 0) {
    await runDocker(['tag', publicImage, etcdImage]);
    await tryDocker(['rmi', publicImage]);
    return note(`pulled ${publicImage} as ${etcdImage}`);
  }
  const { version, etcd } = await ensureEtcd(checkout);
  const base = await ensureBase({ architecture: nativeArchitecture(), epochSeconds, note });
  const context = mkdtempSync(join(tmpdir(), 'etcd-image-'));
  try {
    copyFileSync(join(checkout, 'images', 'etcd', 'Dockerfile'), join(context, 'Dockerfile'));
    for (const program of etcdPrograms) copyFileSync(join(etcd, '..', program), join(context, program));
    await runDocker(['build', '--build-arg', `BASE=${base}`, '--tag', etcdImage, context]);
  } finally {
    rmSync(context, { recursive: true });
  }
  note(`made ${etcdImage} from etcd ${version}, because no registry answers for ${publicImage}`);
}
