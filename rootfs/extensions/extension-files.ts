import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathsBelow } from '../image/place-files.ts';

export const manifestName = 'manifest.yaml';
export const rootName = 'rootfs';

/** What the path of a file or link may begin with. Source: Talos v1.14: extensions, allowed paths. */
const allowed = [
  ...['etc/cri/conf.d', 'etc/ld.so.conf', 'etc/ld.so.cache', 'etc/vulkan'],
  ...['usr/lib/ld-linux-x86-64.so.2', 'usr/lib/ld-linux-aarch64.so.1', 'usr/bin/ldconfig'],
  ...['usr/bin/nvidia-modprobe', 'usr/bin/nvidia-pcc', 'usr/bin/nvidia-smi', 'usr/bin/nvidia-ctk'],
  ...['usr/bin/nvidia-cdi-hook', 'usr/bin/nvme', 'usr/lib/firmware', 'usr/lib/udev/rules.d'],
  ...['usr/local', 'usr/share/egl', 'usr/share/glvnd'],
];
const modules = 'usr/lib/modules';
const setIdBits = 0o6000;

/**
 * Checks that a folder has the form of an extension: a manifest and the files that it adds, of the kinds and in the places
 * that extensions may have.
 *
 * @throws Error with one line that names the first file that an extension may not have
 */
export function checkExtension(folder: string): void {
  const missing = [manifestName, rootName].find((name) => !existsSync(join(folder, name)));
  if (missing !== undefined) throw new Error(`${missing} is missing`);
  const other = readdirSync(folder).find((name) => name !== manifestName && name !== rootName);
  if (other !== undefined) throw new Error(`${other} is neither ${manifestName} nor ${rootName}`);
  if (!lstatSync(join(folder, manifestName)).isFile()) throw new Error(`${manifestName} is not a file`);
  const root = join(folder, rootName);
  if (!lstatSync(root).isDirectory()) throw new Error(`${rootName} is not a folder`);
  for (const path of pathsBelow(root).sort()) checkFile(root, path);
}

function checkFile(root: string, path: string): void {
  const stats = lstatSync(join(root, path));
  if ((stats.mode & setIdBits) !== 0) throw new Error(`/${path} has a set-user-ID or set-group-ID bit`);
  if (stats.isDirectory()) return;
  if (!stats.isFile() && !stats.isSymbolicLink())
    throw new Error(`/${path} is neither a file, a folder nor a link`);
  if (path.startsWith(modules))
    throw new Error(
      `/${path}: kernel modules in extensions are not supported, the kernel loads only its own`,
    );
  if (!allowed.some((prefix) => path.startsWith(prefix)))
    throw new Error(`/${path} is not in a place for extensions`);
  if (stats.isSymbolicLink()) checkLink(path, readlinkSync(join(root, path)));
}

/** A link with a path from the root stays in the root of the machine. */
function checkLink(path: string, target: string): void {
  if (target.startsWith('/')) return;
  if (join(dirname(path), target).startsWith('..'))
    throw new Error(`/${path} is a link to ${target}, which is above the root`);
}
