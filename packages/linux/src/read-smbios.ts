import { readFileSync } from 'node:fs';
import { ifReadable } from './if-readable.ts';
import { parseSmbios, type Smbios } from './parse-smbios.ts';

/**
 * Facts about the machine from its firmware; undefined without any. Only root may read the whole table. Other
 * users get what sysfs shows to everyone: no serial numbers, no UUID, no processors and no memory modules.
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
