// Variables of UEFI by which systemd-boot is told what to start, as files of efivarfs. Source: systemd, boot loader interface.

/** The vendor of all of them. */
export const loaderVendor = '4a67b082-0a4c-41cf-b6c7-440b29bb8c4f';

export const loaderVariables = {
  /** The entry of the next start. systemd-boot removes the variable when it has read it, before it starts the entry. */
  oneShot: 'LoaderEntryOneShot',
  /** The entry of every start. */
  default: 'LoaderEntryDefault',
  /** The entry that this start had. systemd-boot writes it; it is not kept when the machine is off. */
  selected: 'LoaderEntrySelected',
} as const;
export type LoaderVariable = keyof typeof loaderVariables;

/** The name of the file in efivarfs. */
export const loaderVariableFile = (variable: LoaderVariable): string =>
  `${loaderVariables[variable]}-${loaderVendor}`;

// UEFI specification: EFI_VARIABLE_NON_VOLATILE, EFI_VARIABLE_BOOTSERVICE_ACCESS, EFI_VARIABLE_RUNTIME_ACCESS
const attributes = 1 | 2 | 4;
const attributeBytes = 4;
/** A name on a FAT partition has 255 characters at most. */
const longestEntry = 255;
/** The file of a variable with the longest entry and its NUL. A larger file was not written by this package. */
export const loaderVariableBytes = attributeBytes + 2 * (longestEntry + 1);

/**
 * The file of a variable with the name of an entry, to be written with one call: the attributes (32 bits, little-endian), and the name
 * in UTF-16LE with a NUL.
 *
 * @param entry the name of a boot entry
 * @throws RangeError for a name that is empty, too long, or not of printable ASCII
 */
export function encodeLoaderVariable(entry: string): Buffer {
  if (entry.length > longestEntry || !/^[\x21-\x7e]+$/.test(entry))
    throw new RangeError(`${JSON.stringify(entry.slice(0, longestEntry))} is not the name of a boot entry`);
  const head = Buffer.alloc(attributeBytes);
  head.writeUInt32LE(attributes);
  return Buffer.concat([head, Buffer.from(`${entry}\0`, 'utf16le')]);
}

/**
 * The name of an entry from the file of a variable. Undefined when it has none: the variable is empty, has half a character, is longer than
 * `loaderVariableBytes`, or has other characters than names of entries have. Like systemd-boot it takes a name without a NUL.
 */
export function parseLoaderVariable(file: Uint8Array): string | undefined {
  if (file.length < attributeBytes || file.length > loaderVariableBytes || file.length % 2 !== 0)
    return undefined;
  const text = Buffer.from(file.subarray(attributeBytes)).toString('utf16le');
  const [entry = ''] = text.split('\0', 1);
  return /^[\x21-\x7e]+$/.test(entry) && entry.length <= longestEntry ? entry : undefined;
}
