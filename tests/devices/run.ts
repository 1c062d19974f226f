// `make test-devices`: runs udevd-bridge with a real udevd, in mount, network and process namespaces of their own, over the
// Debian packages of a machine's root. Its /sys has the network devices of these namespaces and nothing else of the host, and its
// /dev and /run are empty: so nothing that udevd does reaches the host.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nativeArchitecture } from '@nodewright/build';
import { placeLinks } from '../../rootfs/build-rootfs.ts';
import { placeFiles } from '../../rootfs/image/place-files.ts';
import { parts, triplets } from '../../rootfs/recipe.ts';
import { unpackLocked } from '../../rootfs/workshop.ts';
import { cannotEnter } from '../rootfs/programs/enter-root.ts';

const checkout = join(import.meta.dirname, '..', '..');
const isContinuousIntegration = process.env.CI === 'true' || process.env.CI === '1';

/** $1 is the root, $2 the checkout; the rest is the command. */
const script = `set -e
root=$1 checkout=$2
shift 2
mkdir -p "$root/sys" "$root/own-namespaces"
mount --bind "$root" "$root"
mount -t tmpfs tmpfs "$root/mnt"
mkdir "$root/mnt/sys"
mount -t sysfs sysfs "$root/mnt/sys"
mount -t tmpfs tmpfs "$root/sys"
for path in devices/virtual/net class/net kernel bus block module; do mkdir -p "$root/sys/$path"; done
for path in devices/virtual/net class/net; do mount --bind "$root/mnt/sys/$path" "$root/sys/$path"; done
touch "$root/sys/kernel/uevent_seqnum"
mount --bind "$root/mnt/sys/kernel/uevent_seqnum" "$root/sys/kernel/uevent_seqnum"
umount "$root/mnt/sys" "$root/mnt"
mount -t tmpfs tmpfs "$root/dev"
for device in 'null 3' 'zero 5' 'full 7' 'random 8' 'urandom 9'; do
  mknod -m 666 "$root/dev/\${device% *}" c 1 "\${device#* }"
done
mount -t proc proc "$root/proc"
for name in run tmp var; do mount -t tmpfs tmpfs "$root/$name"; done
mkdir -p "$root$checkout"
mount --bind "$checkout" "$root$checkout"
mount -o remount,bind,ro "$root$checkout"
cd /
exec chroot "$root" "$@"
`;

async function run(): Promise<number> {
  if (cannotEnter !== false) {
    process.stderr.write(`test-devices: skipped: ${cannotEnter}\n`);
    return isContinuousIntegration ? 1 : 0;
  }
  const work = mkdtempSync(join(tmpdir(), 'devices-'));
  try {
    const root = await placePackages(work);
    const namespaces = ['--mount', '--propagation', 'private', '--net', '--pid', '--fork', '--kill-child'];
    const node = join(checkout, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
    const files = process.argv.slice(2);
    const tests = files.length > 0 ? files : ['events', 'links', 'latency'].map((name) => `${name}.test.ts`);
    const command = [node, join(checkout, 'tools', 'test.ts'), '--alone'].concat(
      tests.map((name) => join('tests', 'devices', 'inside', name)),
    );
    const words = [...namespaces, 'sh', '-c', script, 'sh', root, checkout, ...command];
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/tmp' };
    const { status } = spawnSync('unshare', words, {
      env: isContinuousIntegration ? { ...env, CI: 'true' } : env,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    return status ?? 1;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The files of the Debian packages in a machine's root, udevd and its rules among them. */
async function placePackages(work: string): Promise<string> {
  const root = join(work, 'root');
  const architecture = nativeArchitecture();
  for (const name of ['dev', 'mnt', 'proc', 'run', 'sys', 'tmp', 'var'])
    mkdirSync(join(root, name), { recursive: true });
  for (const { name, source, files } of parts) {
    if (source.kind !== 'debian') continue;
    const folder = join(work, 'debian', name);
    await unpackLocked(name, folder, { checkout, architecture });
    const patterns = files.map((path) => path.replaceAll('<triplet>', triplets[architecture]));
    placeFiles({ part: name, source: folder, patterns }, root);
  }
  placeLinks(root, architecture);
  return root;
}

process.exitCode = await run();
