import { existsSync, readFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, writeFileAtomically } from '@nodewright/files';
import { cString, loadNativeCalls } from '@nodewright/linux';

/**
 * Parameters of the kernel that the kubelet demands or sets, with the values that it wants. Source: Kubernetes: kubelet,
 * protectKernelDefaults.
 */
const wantedParameters = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
} as const;

// <sys/mount.h>
const bindMount = 4096;
const remount = 32;
/** Neither programs with the rights of their owner, nor devices, nor programs at all: as the engine mounts it. */
const restricted = 2 | 4 | 8;
const recursive = 16384;
const shared = 1 << 20;

const parameters = '/proc/sys';
const covers = '/run/kubelet-parameters';

/**
 * Covers these parameters by files of the node's own, so that the kubelet of a container sees what it wants and never changes the
 * kernel of its host. Does nothing for those that are covered. Programs of the node see the files, too.
 *
 * @throws SystemCallError when the engine does not let the node mount
 */
export async function coverKernelParameters(): Promise<void> {
  const calls = await loadNativeCalls();
  for (const [name, value] of Object.entries(wantedParameters)) {
    const cover = join(covers, name.replaceAll('/', '.'));
    const target = join(parameters, name);
    if (!existsSync(target) || isMountPoint(target)) continue;
    await makeFolder(covers);
    await writeFileAtomically(cover, `${value}\n`, { mode: 0o644 });
    calls.mount(cString(cover), cString(target), cString(''), bindMount, cString(''));
  }
}

const networkParameters = join(parameters, 'net');
/** Exists only in the network namespace of the host. Source: Linux, Documentation/admin-guide/sysctl/net. */
const ofHost = join(networkParameters, 'core/netdev_budget');

/**
 * Makes the parameters of the node's own network writable, which engines do not: the CNI plugins change some, such as `route_localnet` of
 * the bridge for pods with a `hostPort`. A container sees only those of its network namespace, so those of the host stay as they are.
 *
 * @throws SystemCallError when the engine does not let the node mount
 */
export async function openNetworkParameters(): Promise<void> {
  if (existsSync(ofHost)) return;
  const calls = await loadNativeCalls();
  const [folder, none] = [cString(networkParameters), cString('')];
  if (!isMountPoint(networkParameters)) calls.mount(folder, folder, none, bindMount, none);
  calls.mount(none, folder, none, bindMount | remount | restricted, none);
}

const kernelLog = '/dev/kmsg';

/**
 * Gives the kubelet an empty log of the kernel where the node has none: it does not start without, and the log of the host does not
 * belong to the node. So it does not report processes that the kernel killed when memory ran out.
 */
export async function coverKernelLog(): Promise<void> {
  if (!existsSync(kernelLog)) await symlink('null', kernelLog);
}

/**
 * Makes a folder a mount of its own that passes mounts below it on, to containers and back to the node.
 *
 * @throws SystemCallError
 */
export async function shareMounts(folder: string): Promise<void> {
  if (isMountPoint(folder)) return;
  const calls = await loadNativeCalls();
  calls.mount(cString(folder), cString(folder), cString(''), bindMount | recursive, cString(''));
  calls.mount(cString(''), cString(folder), cString(''), shared | recursive, cString(''));
}

function isMountPoint(path: string): boolean {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .some((line) => line.split(' ')[4] === path);
}
