// Unified kernel images: a kernel, its initramfs and its command line as one program for UEFI firmware.
// Source: UAPI group, unified kernel image.

const sectionHeaderBytes = 40;
const readOnlyData = 0x4000_0040;
const code = 0x6000_0020;

export interface UnifiedKernelParts {
  /** The text of `os-release`. */
  readonly osRelease: string;
  /** Arguments of the kernel. The stub ignores others when Secure Boot is on. */
  readonly commandLine: string;
  readonly kernelRelease: string;
  readonly kernel: Buffer;
  readonly initramfs: Buffer;
}

/**
 * Adds the parts to systemd's stub, which passes them to the kernel. The same arguments give the same bytes.
 *
 * @throws Error when the stub is not a program for UEFI, or has no room for the headers of the sections
 */
export function unifiedKernel(stub: Buffer, parts: UnifiedKernelParts): Buffer {
  return addSections(stub, [
    { name: '.osrel', content: Buffer.from(parts.osRelease), kind: readOnlyData },
    { name: '.cmdline', content: Buffer.from(parts.commandLine), kind: readOnlyData },
    { name: '.uname', content: Buffer.from(parts.kernelRelease), kind: readOnlyData },
    { name: '.initrd', content: parts.initramfs, kind: readOnlyData },
    { name: '.linux', content: parts.kernel, kind: code },
  ]);
}

interface Section {
  readonly name: string;
  readonly content: Buffer;
  readonly kind: number;
}

function addSections(program: Buffer, sections: readonly Section[]): Buffer {
  const at = headersOf(program);
  const image = Buffer.from(program);
  const [sectionAlignment, fileAlignment] = [
    image.readUInt32LE(at.optional + 32),
    image.readUInt32LE(at.optional + 36),
  ];
  const count = image.readUInt16LE(at.coff + 2);
  const table = at.optional + image.readUInt16LE(at.coff + 16);
  const headersEnd = image.readUInt32LE(at.optional + 60);
  if (table + (count + sections.length) * sectionHeaderBytes > headersEnd)
    throw new Error(`the stub has no room for ${sections.length} more sections`);

  const pieces: Uint8Array[] = [image];
  let [address, offset] = [image.readUInt32LE(at.optional + 56), image.length];
  for (const [index, { name, content, kind }] of sections.entries()) {
    const start = roundUp(offset, fileAlignment);
    const stored = roundUp(content.length, fileAlignment);
    pieces.push(Buffer.alloc(start - offset), content, Buffer.alloc(stored - content.length));
    const header = table + (count + index) * sectionHeaderBytes;
    image.fill(0, header, header + sectionHeaderBytes);
    image.write(name, header, 8, 'latin1');
    image.writeUInt32LE(content.length, header + 8);
    image.writeUInt32LE(address, header + 12);
    image.writeUInt32LE(stored, header + 16);
    image.writeUInt32LE(start, header + 20);
    image.writeUInt32LE(kind, header + 36);
    address = roundUp(address + content.length, sectionAlignment);
    offset = start + stored;
  }
  image.writeUInt16LE(count + sections.length, at.coff + 2);
  image.writeUInt32LE(address, at.optional + 56);
  // Firmware does not check this sum.
  image.writeUInt32LE(0, at.optional + 64);
  return Buffer.concat(pieces);
}

/** The offsets of the COFF header and of the optional header. */
function headersOf(program: Buffer): { readonly coff: number; readonly optional: number } {
  const signature = program.length > 0x40 ? program.readUInt32LE(0x3c) : 0;
  if (
    program.toString('latin1', 0, 2) !== 'MZ' ||
    program.toString('latin1', signature, signature + 4) !== 'PE\0\0'
  )
    throw new Error('the stub is not a program for UEFI');
  return { coff: signature + 4, optional: signature + 24 };
}

const roundUp = (value: number, multiple: number) => Math.ceil(value / multiple) * multiple;
