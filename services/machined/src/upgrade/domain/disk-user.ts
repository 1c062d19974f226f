/** A block device, and what uses it. */
export interface DeviceUse {
  readonly path: string;
  /** The disk of a partition; empty for a disk. */
  readonly disk: string;
  /** The devices that it is built on. */
  readonly members: readonly string[];
  readonly mountPoint: string | undefined;
}

/** What uses a disk or one of its partitions; undefined when nothing does. */
export function diskUser(disk: string, devices: readonly DeviceUse[]): string | undefined {
  const own = devices.filter((device) => device.path === disk || device.disk === disk);
  const mounted = own.find(({ mountPoint }) => mountPoint !== undefined);
  if (mounted !== undefined) return `${mounted.path} is mounted at ${mounted.mountPoint}`;
  const paths = new Set(own.map(({ path }) => path));
  const holder = devices.find(({ members }) => members.some((member) => paths.has(member)));
  return holder && `${holder.path} is built on it`;
}
