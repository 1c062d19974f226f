import { readFileSync } from 'node:fs';
import { ifReadable } from './if-readable.ts';
import { parseSmbios, type Smbios } from './parse-smbios.ts';

/**
 * What the firmware says of the machine; undefined where it says nothing. The whole table is for root; anybody else
 * learns what everybody may know: no serial numbers, no UUID, no processors and no modules of memory.
 *
 * @param sysRoot where sysfs is mounted; default `/sys`.
 */
export function readSmbios(sysRoot = '/sys'): Smbios | undefined {
  const table = ifReadable(() => readFileSync(`${sysRoot}/firmware/dmi/tables/DMI`));
  if (table !== undefined) return parseSmbios(table);
  const fact = (name: string) =>
    (ifReadable(() => readFileSync(`${sysRoot}/class/dmi/id/${name}`, 'utf8')) ?? '').trim();
  const system = {
    manufacturer: fact('sys_vendor'),
    productName: fact('product_name'),
    version: fact('product_version'),
    serialNumber: fact('product_serial'),
    uuid: fact('product_uuid').toLowerCase(),
    wakeUpType: '',
    skuNumber: fact('product_sku'),
    biosVersion: fact('bios_version'),
  };
  if (Object.values(system).every((text) => text === '')) return undefined;
  return { system, processors: [], memoryModules: [] };
}
