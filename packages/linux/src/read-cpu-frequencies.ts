import { readdirSync, readFileSync } from 'node:fs';
import { counterFrom } from './counters.ts';

/** Frequencies of one CPU in kHz; undefined fields when the kernel has no driver for it. */
export interface CpuFrequency {
  readonly currentKhz: bigint;
  readonly minimumKhz: bigint;
  readonly maximumKhz: bigint;
  readonly governor: string;
}

/**
 * One entry for each online CPU, in lexical order of the folder names (cpu0, cpu1, cpu10, cpu2). The entry is
 * undefined when one of its three frequencies cannot be read. Source: Talos v1.14: CPUFreqStats.
 *
 * @param cpuRoot default `/sys/devices/system/cpu`.
 */
export function readCpuFrequencies(cpuRoot = '/sys/devices/system/cpu'): (CpuFrequency | undefined)[] {
  return readdirSync(cpuRoot)
    .filter((name) => /^cpu\d+$/.test(name))
    .sort()
    .filter((name) => readWord(`${cpuRoot}/${name}/online`) !== '0')
    .map((name) => readCpuFrequency(`${cpuRoot}/${name}/cpufreq`));
}

function readCpuFrequency(folder: string): CpuFrequency | undefined {
  const [currentKhz, minimumKhz, maximumKhz] = ['cur', 'min', 'max'].map((which) =>
    counterFrom(readWord(`${folder}/cpuinfo_${which}_freq`)),
  );
  if (currentKhz === undefined || minimumKhz === undefined || maximumKhz === undefined) return undefined;
  return { currentKhz, minimumKhz, maximumKhz, governor: readWord(`${folder}/scaling_governor`) ?? '' };
}

/** Undefined for a missing or unreadable file of sysfs: cpu0 has no `online`, and drivers differ. */
function readWord(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
