// Source: Talos v1.14: extensions, allowed paths. Upstream compares beginnings of texts. Here a folder ends with its slash, so
// that no extension replaces it by a link or a file, and none writes to /usr/lib/modules-load.d, which names modules to load.

/** Below these folders an extension may have files and links. */
export const allowedFolders = [
  ...['etc/cri/conf.d', 'etc/vulkan', 'usr/lib/firmware', 'usr/lib/modules', 'usr/lib/udev/rules.d'],
  ...['usr/local', 'usr/share/egl', 'usr/share/glvnd'],
] as const;

/** What the path of a file or link may begin with, too. */
const allowedBeginnings = [
  ...['etc/ld.so.conf', 'etc/ld.so.cache', 'usr/lib/ld-linux-x86-64.so.2', 'usr/lib/ld-linux-aarch64.so.1'],
  ...['usr/bin/ldconfig', 'usr/bin/nvidia-modprobe', 'usr/bin/nvidia-pcc', 'usr/bin/nvidia-smi'],
  ...['usr/bin/nvidia-ctk', 'usr/bin/nvidia-cdi-hook', 'usr/bin/nvme'],
];

/** Whether an extension may have a file or a link at this path below the root of machines. */
export const isAllowedPlace = (path: string): boolean =>
  allowedFolders.some((folder) => path.startsWith(`${folder}/`)) ||
  allowedBeginnings.some((beginning) => path.startsWith(beginning));

/**
 * Whether an extension may have a folder there: in such a place, or above one. Elsewhere it would hide a file or a link of the
 * root, such as /lib.
 */
export const isAllowedFolder = (path: string): boolean =>
  isAllowedPlace(path) ||
  [...allowedFolders, ...allowedBeginnings].some((place) => `${place}/`.startsWith(`${path}/`));
