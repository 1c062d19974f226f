// Names of PCI devices from the list that distributions install. Source: PCI ID repository, format of
// pci.ids.

/** Empty when the list does not have it. */
export interface PciNames {
  readonly class: string;
  readonly subclass: string;
  readonly vendor: string;
  readonly product: string;
}

export interface PciNumbers {
  readonly classId: number;
  readonly subclassId: number;
  readonly vendorId: number;
  readonly productId: number;
}

/**
 * The names of a device. The list is long and only a few lines are needed, so the text is searched without
 * parsing it.
 *
 * @param list the file; undefined if it is not installed: then only a few classes are known
 */
export function pciNames(list: Buffer | undefined, numbers: PciNumbers): PciNames {
  const [classId, subclassId] = [hex(numbers.classId, 2), hex(numbers.subclassId, 2)];
  if (list === undefined) return { ...knownClass(classId, subclassId), vendor: '', product: '' };
  const [kind, subkind] = entry(list, `C ${classId}`, subclassId);
  const [vendor, product] = entry(list, hex(numbers.vendorId, 4), hex(numbers.productId, 4));
  return { class: kind, subclass: subkind, vendor, product };
}

/** A line that begins with `head`, and in its block the line that begins with a tab and `item`. */
function entry(list: Buffer, head: string, item: string): [name: string, itemName: string] {
  const at = list.indexOf(`\n${head}  `);
  if (at < 0) return ['', ''];
  const below = lineEnd(list, at + 1);
  const block = list.subarray(below, endOfBlock(list, below));
  const itemAt = block.indexOf(`\n\t${item}  `);
  return [nameAt(list, at + head.length + 3), itemAt < 0 ? '' : nameAt(block, itemAt + item.length + 4)];
}

const tab = 9;
const hash = 35;
const newline = 10;

/** A block continues while lines begin with a tab, are empty or are comments. */
function endOfBlock(list: Buffer, from: number): number {
  for (let at = from; at >= 0 && at + 1 < list.length; at = list.indexOf(newline, at + 1)) {
    const first = list[at + 1];
    if (first !== tab && first !== hash && first !== newline) return at;
  }
  return list.length;
}

function nameAt(list: Buffer, at: number): string {
  return list.subarray(at, lineEnd(list, at)).toString('utf8').trim();
}

function lineEnd(list: Buffer, at: number): number {
  const end = list.indexOf(newline, at);
  return end < 0 ? list.length : end;
}

/** The classes that nearly every machine has. */
function knownClass(classId: string, subclassId: string): Pick<PciNames, 'class' | 'subclass'> {
  const classes: Readonly<
    Record<string, readonly [name: string, subclasses: Readonly<Record<string, string>>]>
  > = {
    '01': [
      'Mass storage controller',
      {
        ...{ '00': 'SCSI storage controller', '01': 'IDE interface', '04': 'RAID bus controller' },
        ...{ '06': 'SATA controller', '07': 'Serial Attached SCSI controller' },
        ...{ '08': 'Non-Volatile memory controller', '80': 'Mass storage controller' },
      },
    ],
    '02': [
      'Network controller',
      { '00': 'Ethernet controller', '07': 'Infiniband controller', '80': 'Network controller' },
    ],
    '03': [
      'Display controller',
      { '00': 'VGA compatible controller', '02': '3D controller', '80': 'Display controller' },
    ],
    '04': ['Multimedia controller', { '01': 'Multimedia audio controller', '03': 'Audio device' }],
    '05': ['Memory controller', { '00': 'RAM memory', '02': 'CXL', '80': 'Memory controller' }],
    '06': ['Bridge', { '00': 'Host bridge', '01': 'ISA bridge', '04': 'PCI bridge', '80': 'Bridge' }],
    '07': ['Communication controller', { '00': 'Serial controller', '80': 'Communication controller' }],
    '08': ['Generic system peripheral', { '06': 'IOMMU', '80': 'System peripheral' }],
    '0c': ['Serial bus controller', { '03': 'USB controller', '05': 'SMBus' }],
    '10': ['Encryption controller', {}],
    '12': ['Processing accelerators', { '00': 'Processing accelerators' }],
    ff: ['Unassigned class', {}],
  };
  const [name = '', subclasses = {}] = classes[classId] ?? [];
  return { class: name, subclass: subclasses[subclassId] ?? '' };
}

/** `digits` hexadecimal digits. */
export function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}
