/**
 * One logical CPU of `/proc/cpuinfo`. Fields that an architecture does not print are empty or zero: arm64 has
 * only the number, `bogoMips`, `flags` and sometimes a model name.
 */
export interface CpuInfo {
  readonly processor: number;
  readonly vendorId: string;
  readonly cpuFamily: string;
  readonly model: string;
  readonly modelName: string;
  readonly stepping: string;
  readonly microcode: string;
  readonly cpuMhz: number;
  readonly cacheSize: string;
  readonly physicalId: string;
  readonly siblings: number;
  readonly coreId: string;
  readonly cpuCores: number;
  readonly apicId: string;
  readonly initialApicId: string;
  readonly fpu: string;
  readonly fpuException: string;
  readonly cpuidLevel: number;
  readonly wp: string;
  readonly flags: readonly string[];
  readonly bugs: readonly string[];
  readonly bogoMips: number;
  readonly clflushSize: number;
  readonly cacheAlignment: number;
  readonly addressSizes: string;
  readonly powerManagement: string;
}

/**
 * Parses `/proc/cpuinfo`: blocks between blank lines, each line `key : value`. A block without a processor
 * number (the board's name and serial number at the end on arm) is not a CPU and is left out. Keys are
 * compared without case, because architectures spell `bogomips` differently.
 */
export function parseCpuinfo(text: string): CpuInfo[] {
  return text
    .split(/\n\s*\n/)
    .map(fieldsFrom)
    .filter((fields) => /^\d{1,9}$/.test(fields.get('processor') ?? ''))
    .map(cpuInfoFrom);
}

function fieldsFrom(block: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return fields;
}

const maxUint32 = 0xffff_ffff;

function cpuInfoFrom(fields: ReadonlyMap<string, string>): CpuInfo {
  const text = (key: string) => fields.get(key) ?? '';
  const number = (key: string) => {
    const value = Number(text(key));
    return Number.isFinite(value) ? value : 0;
  };
  // Some processors print -1 for a missing level; such numbers are left out.
  const count = (key: string) => {
    const value = number(key);
    return Number.isInteger(value) && value >= 0 && value <= maxUint32 ? value : 0;
  };
  const words = (key: string) =>
    text(key)
      .split(/\s+/)
      .filter((word) => word !== '');

  return {
    processor: count('processor'),
    vendorId: text('vendor_id'),
    cpuFamily: text('cpu family'),
    model: text('model'),
    modelName: text('model name'),
    stepping: text('stepping'),
    microcode: text('microcode'),
    cpuMhz: number('cpu mhz'),
    cacheSize: text('cache size'),
    physicalId: text('physical id'),
    siblings: count('siblings'),
    coreId: text('core id'),
    cpuCores: count('cpu cores'),
    apicId: text('apicid'),
    initialApicId: text('initial apicid'),
    fpu: text('fpu'),
    fpuException: text('fpu_exception'),
    cpuidLevel: count('cpuid level'),
    wp: text('wp'),
    // arm64 calls the flags features.
    flags: fields.has('flags') ? words('flags') : words('features'),
    bugs: words('bugs'),
    bogoMips: number('bogomips'),
    clflushSize: count('clflush size'),
    cacheAlignment: count('cache_alignment'),
    addressSizes: text('address sizes'),
    powerManagement: text('power management'),
  };
}
