import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { type CgroupSetting, cgroupSettings } from '../domain/cgroup-settings.ts';

/** The controllers that limit services and containers. Source: Talos v1.14: cgroups. */
const controllers = ['cpu', 'cpuset', 'hugetlb', 'io', 'memory', 'pids'];

/**
 * Lets the groups in a control group have limits.
 *
 * @throws Error of Node.js when the kernel refuses a controller that it has
 */
export function passControllersOn(folder: string): void {
  const available = readFileSync(join(folder, 'cgroup.controllers'), 'utf8').trim().split(/\s+/);
  const wanted = controllers.filter((name) => available.includes(name)).map((name) => `+${name}`);
  writeFileSync(join(folder, 'cgroup.subtree_control'), wanted.join(' '));
}

/** Whether groups in a control group may have limits of memory. A container on a host with version 1 has none of version 2. */
export function canLimitMemory(folder: string): boolean {
  return readFileSync(join(folder, 'cgroup.controllers'), 'utf8').trim().split(/\s+/).includes('memory');
}

/**
 * Sets the limits of a control group of a machine and of those above it, which exist. What the kernel refuses is logged: a
 * service runs without its limits, too.
 *
 * @param folder of the groups of the machine
 * @param path below it
 * @param ownsKernel see `cgroupSettings()`
 */
export function limitCgroup(
  folder: string,
  path: string,
  ownsKernel: boolean,
  log: Pick<Logger, 'error'>,
): void {
  const names = path.split('/');
  const apply = (group: string, what: string, change: () => void) => {
    try {
      change();
    } catch (error) {
      log.error({ cgroup: group, what, error: faultFrom(error).message }, 'a control group has no limit');
    }
  };
  for (let depth = 1; depth <= names.length; depth += 1) {
    const group = names.slice(0, depth).join('/');
    const set = ({ file, value }: CgroupSetting) => writeFileSync(join(folder, group, file), value);
    for (const setting of cgroupSettings(group, availableParallelism(), ownsKernel))
      apply(group, setting.file, () => set(setting));
    if (depth < names.length) apply(group, 'controllers', () => passControllersOn(join(folder, group)));
  }
}
