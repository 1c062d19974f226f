import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureEtcd, etcdPrograms, etcdVersion } from '@nodewright/build/etcd';
import { runDocker, tryDocker } from '@nodewright/provision/engine';
import { etcdImage } from '../../packages/provision/src/domain/stack-document.ts';

/** Source: Talos v1.14: etcd image. */
const publicImage = `registry.k8s.io/etcd:v${etcdVersion}`;

export interface EnsureEtcdImageInit {
  readonly checkout: string;
  readonly note: (line: string) => void;
}

/**
 * Makes sure that the image of etcd for container nodes exists: present, pulled, or made from the checkout's
 * own programs. It has a name of its own, because nobody should take one that was made here for the public one.
 */
export async function ensureEtcdImage({ checkout, note }: EnsureEtcdImageInit): Promise<void> {
  const found = await tryDocker(['image', 'inspect', '--format', '{{.Id}}', etcdImage]);
  if (found.code === 0) return;
  const pulled = await tryDocker(['pull', '--quiet', publicImage]);
  if (pulled.code === 0) {
    await runDocker(['tag', publicImage, etcdImage]);
    await tryDocker(['rmi', publicImage]);
    return note(`pulled ${publicImage} as ${etcdImage}`);
  }
  const { version, etcd } = await ensureEtcd(checkout);
  if (version !== etcdVersion)
    throw new Error(`${etcd} is etcd ${version}, but ${etcdImage} needs ${etcdVersion}: remove its folder`);
  const context = mkdtempSync(join(tmpdir(), 'etcd-image-'));
  try {
    copyFileSync(join(checkout, 'images', 'etcd', 'Dockerfile'), join(context, 'Dockerfile'));
    for (const program of etcdPrograms) copyFileSync(join(etcd, '..', program), join(context, program));
    await runDocker(['build', '--tag', etcdImage, context]);
  } finally {
    rmSync(context, { recursive: true });
  }
  note(`made ${etcdImage} from etcd ${version}, because no registry answers for ${publicImage}`);
}
