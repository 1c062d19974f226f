// Programs for UEFI firmware (PE/COFF), as far as their signatures need it.
// Source: PE format. Source: Windows Authenticode Portable Executable Signature Format.
import { createHash } from 'node:crypto';

const sectionHeaderBytes = 40;
const certificateHeaderBytes = 8;
const alignment = 8;
/** WIN_CERT_REVISION_2_0 and WIN_CERT_TYPE_PKCS_SIGNED_DATA. */
const revision = 0x0200;
const pkcsSignedData = 0x0002;

/** Offsets in a program. */
interface Layout {
  readonly checksum: number;
  /** The entry for signatures in the data directory: offset and size. */
  readonly certificateEntry: number;
  /** End of the headers, and of the sections: without signatures the end of the program. */
  readonly headersEnd: number;
  readonly sectionsEnd: number;
}

/**
 * The digest that a signature covers: everything but the sum, the entry for signatures, and the signatures themselves.
 *
 * @throws Error when the program is none, or has bytes that no section has
 */
export function programDigest(program: Buffer): Buffer {
  const { checksum, certificateEntry, sectionsEnd } = layoutOf(program);
  return createHash('sha256')
    .update(program.subarray(0, checksum))
    .update(program.subarray(checksum + 4, certificateEntry))
    .update(program.subarray(certificateEntry + 8, sectionsEnd))
    .digest();
}

/** Adds a signature to a program without one. @param signature PKCS #7 as DER @throws Error as `programDigest()` */
export function addSignature(program: Buffer, signature: Buffer): Buffer {
  const { certificateEntry } = layoutOf(program);
  if (signatureOf(program) !== undefined) throw new Error('the program has a signature already');
  const size = certificateHeaderBytes + signature.length;
  const table = Buffer.alloc(roundUp(size));
  table.writeUInt32LE(table.length, 0);
  table.writeUInt16LE(revision, 4);
  table.writeUInt16LE(pkcsSignedData, 6);
  signature.copy(table, certificateHeaderBytes);
  const signed = Buffer.concat([program, table]);
  signed.writeUInt32LE(program.length, certificateEntry);
  signed.writeUInt32LE(table.length, certificateEntry + 4);
  return signed;
}

/** The signature of a program, with zeros behind it up to a multiple of eight; undefined when it has none. */
export function signatureOf(program: Buffer): Buffer | undefined {
  const { certificateEntry, sectionsEnd } = layoutOf(program);
  const size = program.readUInt32LE(certificateEntry + 4);
  return size === 0 ? undefined : program.subarray(sectionsEnd + certificateHeaderBytes, sectionsEnd + size);
}

/** The program as it was before it was signed. */
export function withoutSignature(program: Buffer): Buffer {
  const { certificateEntry, sectionsEnd } = layoutOf(program);
  const unsigned = Buffer.from(program.subarray(0, sectionsEnd));
  unsigned.fill(0, certificateEntry, certificateEntry + 8);
  return unsigned;
}

function layoutOf(program: Buffer): Layout {
  const coff = program.length > 0x40 ? program.readUInt32LE(0x3c) + 4 : 0;
  const isProgram =
    program.toString('latin1', 0, 2) === 'MZ' && program.toString('latin1', coff - 4, coff) === 'PE\0\0';
  if (!isProgram) throw new Error('this is not a program for UEFI');
  const optional = coff + 20;
  if (program.readUInt16LE(optional) !== 0x20b) throw new Error('the program is not one for 64 bits');
  const certificateEntry = optional + 112 + 4 * 8;
  const headersEnd = program.readUInt32LE(optional + 60);
  const sectionsEnd = endOfSections(program, coff, headersEnd);
  const [start, size] = [program.readUInt32LE(certificateEntry), program.readUInt32LE(certificateEntry + 4)];
  const end = size === 0 ? sectionsEnd : start + size;
  if ((size !== 0 && start !== sectionsEnd) || end !== program.length || sectionsEnd % alignment !== 0)
    throw new Error('the program has bytes that belong to no section');
  return { checksum: optional + 64, certificateEntry, headersEnd, sectionsEnd };
}

/** Sections follow the headers without a gap, in any order. A gap would be hashed by some firmware and not by other. */
function endOfSections(program: Buffer, coff: number, headersEnd: number): number {
  const count = program.readUInt16LE(coff + 2);
  const table = coff + 20 + program.readUInt16LE(coff + 16);
  const sections = Array.from({ length: count }, (_, index) => {
    const header = table + index * sectionHeaderBytes;
    return { size: program.readUInt32LE(header + 16), start: program.readUInt32LE(header + 20) };
  });
  let end = headersEnd;
  for (const { start, size } of sections.filter(({ size }) => size > 0).sort((a, b) => a.start - b.start)) {
    if (start !== end) throw new Error('the program has bytes that belong to no section');
    end = start + size;
  }
  return end;
}

const roundUp = (value: number) => Math.ceil(value / alignment) * alignment;
