// What each control group of a machine may use, and what the kernel keeps for it.

const mebibyte = 1_048_576;

interface CgroupRow {
  /** MiB that the kernel never takes from it. */
  readonly min?: number;
  /** MiB that the kernel takes last. */
  readonly low?: number;
  /** MiB at which the kernel ends a process of it. */
  readonly max?: number;
  /** Its memory is never swapped, so that the node answers while pods swap. */
  readonly staysInMemory?: true;
  /** Its share when all processors are busy, in thousandths of a processor. */
  readonly millicores: number;
}

/**
 * Source: Talos v1.14: cgroups. udevd has the group of udevd-bridge, which runs it. The upper limits of apid and trustd are larger than there, because Node.js needs more memory:
 * each is one and a half times the most that an attack has made the daemon use (`docs/measurements/attacks.md`).
 */
const rows: Readonly<Record<string, CgroupRow>> = {
  init: { min: 96, low: 192, staysInMemory: true, millicores: 2000 },
  system: { min: 96, low: 192, millicores: 1500 },
  'system/apid': { min: 16, low: 32, max: 384, staysInMemory: true, millicores: 500 },
  'system/trustd': { min: 8, low: 16, max: 256, staysInMemory: true, millicores: 250 },
  'system/registryd': { min: 8, low: 16, max: 256, staysInMemory: true, millicores: 500 },
  // udevd-bridge, and udevd below it.
  'system/udevd-bridge': { min: 16, low: 32, max: 256, staysInMemory: true, millicores: 250 },
  podruntime: { min: 340, low: 936, millicores: 4000 },
  'podruntime/runtime': { min: 196, low: 392, staysInMemory: true, millicores: 1000 },
  'podruntime/shim': { min: 48, low: 96, staysInMemory: true, millicores: 500 },
  'podruntime/etcd': { low: 256, staysInMemory: true, millicores: 2000 },
};

/** The value of a file in the folder of a control group. */
export interface CgroupSetting {
  readonly file: string;
  readonly value: string;
}

/** The groups that have a row. */
export const limitedCgroups = Object.keys(rows);

/**
 * The settings of a control group; none for a group without limits.
 *
 * @param path below the node's own groups, such as `system/apid`
 * @param processors of the machine; nothing gets a larger share than all of them
 * @param ownsKernel whether the kernel runs for the node alone; elsewhere only upper limits are set, because others share its
 * memory and processors
 */
export function cgroupSettings(path: string, processors: number, ownsKernel: boolean): CgroupSetting[] {
  const row = rows[path];
  if (row === undefined) return [];
  const bytes = (mib: number | undefined) => (mib === undefined ? undefined : String(mib * mebibyte));
  const max = { 'memory.max': bytes(row.max) };
  const values: Readonly<Record<string, string | undefined>> = !ownsKernel
    ? max
    : {
        'memory.min': bytes(row.min),
        'memory.low': bytes(row.low),
        ...max,
        'memory.swap.max': row.staysInMemory && '0',
        'cpu.weight': String(cpuWeight(row.millicores, processors)),
      };
  return Object.entries(values).flatMap(([file, value]) => (value === undefined ? [] : [{ file, value }]));
}

/** From thousandths of a processor over the shares of control groups of version 1. Source: Talos v1.14: cgroups. */
export function cpuWeight(millicores: number, processors: number): number {
  const shares = Math.trunc((Math.min(millicores, processors * 1000) * 1024) / 1000);
  return Math.trunc(((shares - 2) * 9999) / 262_142) + 1;
}
