// Facts from SMBIOS as resources. Source: Talos v1.14: COSI resources, hardware.
import type { Smbios } from '@nodewright/linux';
import type { MemoryModuleSpec, ProcessorSpec, SystemInformationSpec } from '@nodewright/state/kinds';

export interface Identified<S> {
  readonly id: string;
  readonly spec: S;
}

/**
 * The machine; undefined without any data.
 *
 * @param givenUuid a UUID in META that replaces that of the machine; empty without one
 */
export function systemInformationOf(
  smbios: Smbios | undefined,
  givenUuid: string,
): SystemInformationSpec | undefined {
  const { system } = smbios ?? {};
  if (system === undefined && givenUuid === '') return undefined;
  return {
    manufacturer: system?.manufacturer ?? '',
    productName: system?.productName ?? '',
    version: system?.version ?? '',
    biosVersion: system?.biosVersion ?? '',
    serialnumber: system?.serialNumber ?? '',
    uuid: givenUuid || (system?.uuid ?? ''),
    wakeUpType: system?.wakeUpType ?? '',
    skuNumber: system?.skuNumber ?? '',
  };
}

/** Processors by socket. */
export function processorsOf(smbios: Smbios | undefined): Identified<ProcessorSpec>[] {
  const processors = smbios?.processors ?? [];
  return withOwnIds(
    processors.map(({ version, ...processor }) => ({
      id: idOf(processor.socket),
      spec: { ...processor, productName: version },
    })),
  );
}

/**
 * Memory modules by slot. A machine without data about its modules has one unknown module.
 *
 * @param memoryKiB the total memory of the kernel
 */
export function memoryModulesOf(
  smbios: Smbios | undefined,
  memoryKiB: number,
): Identified<MemoryModuleSpec>[] {
  const modules = smbios?.memoryModules ?? [];
  if (modules.length === 0)
    return [{ id: 'UNKNOWN', spec: { ...unknownModule, sizeMiB: Math.floor(memoryKiB / 1024) } }];
  return withOwnIds(
    modules.map(({ partNumber, ...module }) => ({
      id: idOf(`${module.deviceLocator}-${module.bankLocator}`),
      spec: { ...module, productName: partNumber },
    })),
  );
}

const unknownModule: MemoryModuleSpec = {
  sizeMiB: 0,
  deviceLocator: '',
  bankLocator: '',
  speed: 0,
  manufacturer: '',
  serialNumber: '',
  assetTag: '',
  productName: '',
};

function idOf(text: string): string {
  return text.replaceAll(' ', '-');
}

/**
 * Firmware may give two things the same name, but ids are unique: from the second one on a number is
 * appended.
 */
function withOwnIds<S>(resources: readonly Identified<S>[]): Identified<S>[] {
  const seen = new Map<string, number>();
  return resources.map(({ id, spec }) => {
    const count = (seen.get(id) ?? 0) + 1;
    seen.set(id, count);
    return { id: count === 1 ? id : `${id}-${count}`, spec };
  });
}
