// The variables of UEFI firmware with keys for Secure Boot, for emulated machines.
// Source: UEFI specification 2.10, chapters 8.2 and 32. Source: EDK II, AuthenticatedVariableFormat.h.
import { encodeGuid } from '@nodewright/disk';

const guids = {
  globalVariable: '8be4df61-93ca-11d2-aa0d-00e098032b8c',
  imageSecurityDatabase: 'd719b2cb-3d3a-4596-a3bc-dad00e67656f',
  certificate: 'a5c059a1-94e4-4aa7-87b5-ab155c2bf072',
} as const;

/** The owner of the entries: a name of this project. */
const owner = 'f1c5bd5e-7c5b-4f0e-9c0b-6e6f64657772';
const authenticatedStore = 'aaf32c78-947b-439a-a180-2e144ec37792';

const volumeHeaderLengthAt = 48;
const storeHeaderBytes = 28;
const headerBytes = 60;
const erased = 0xff;
const startId = 0x55aa;
/** The header is valid and the variable was added. */
const added = 0x3f;
/** Non-volatile, for boot services and for the running system. */
const plain = 0x7;
/** The same, with authenticated writes by time. */
const authenticated = 0x27;

/** Keys that `enrolCertificate()` enrols, in the order in which they are written. */
const variables = [
  { name: 'db', vendor: guids.imageSecurityDatabase },
  { name: 'KEK', vendor: guids.globalVariable },
  { name: 'PK', vendor: guids.globalVariable },
] as const;

/**
 * Enrols a certificate in an empty store, as platform key, key exchange key and the only key of programs. Firmware that has a
 * platform key enforces Secure Boot.
 *
 * @param store the variables of OVMF without any key
 * @throws Error when the store is not empty, or of another format
 */
export function enrolCertificate(store: Buffer, certificate: Buffer): Buffer {
  if (endOfRecords(store, firstRecordOf(store)) !== firstRecordOf(store))
    throw new Error('the variables of the firmware are not empty');
  const data = signatureList(certificate);
  return writeVariables(
    store,
    variables.map((variable) => ({ ...variable, attributes: authenticated, data })),
  );
}

/** A variable that everybody may change. */
export interface PlainVariable {
  readonly name: string;
  /** A GUID. */
  readonly vendor: string;
  readonly data: Buffer;
}

/** Adds variables to a store that has none, or the keys of `enrolCertificate()`. @throws as `enrolCertificate()` */
export const storeVariables = (store: Buffer, added: readonly PlainVariable[]): Buffer =>
  writeVariables(
    store,
    added.map((variable) => ({ ...variable, attributes: plain })),
  );

interface StoredVariable extends PlainVariable {
  readonly attributes: number;
}

function writeVariables(store: Buffer, written: readonly StoredVariable[]): Buffer {
  const enrolled = Buffer.from(store);
  let at = endOfRecords(store, firstRecordOf(store));
  for (const variable of written) {
    const record = recordOf(variable);
    record.copy(enrolled, at);
    at = nextPlace(at + record.length);
  }
  return enrolled;
}

function firstRecordOf(store: Buffer): number {
  const start = store.readUInt16LE(volumeHeaderLengthAt);
  const isKnown = store.subarray(start, start + 16).equals(encodeGuid(authenticatedStore));
  if (!isKnown) throw new Error('the firmware has no store of authenticated variables');
  return start + storeHeaderBytes;
}

/** Records begin at multiples of four bytes from the start of the volume. */
const nextPlace = (at: number) => Math.ceil(at / 4) * 4;

/** Behind records that are valid; there must be no others. */
function endOfRecords(store: Buffer, first: number): number {
  let at = first;
  while (store.readUInt16LE(at) === startId && store.readUInt8(at + 2) === added)
    at = nextPlace(at + headerBytes + store.readUInt32LE(at + 36) + store.readUInt32LE(at + 40));
  if (store.readUInt16LE(at) !== (erased << 8) + erased)
    throw new Error('the variables of the firmware are not empty');
  return at;
}

function recordOf({ name, vendor, attributes, data }: StoredVariable): Buffer {
  const text = Buffer.from(`${name}\0`, 'utf16le');
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16LE(startId, 0);
  header.writeUInt8(added, 2);
  header.writeUInt32LE(attributes, 4);
  // The counter and the time are zero: every later time replaces the variable.
  header.writeUInt32LE(text.length, 36);
  header.writeUInt32LE(data.length, 40);
  encodeGuid(vendor).copy(header, 44);
  return Buffer.concat([header, text, data]);
}

/** An EFI_SIGNATURE_LIST with one certificate. */
function signatureList(certificate: Buffer): Buffer {
  const entryBytes = 16 + certificate.length;
  const header = Buffer.alloc(28);
  encodeGuid(guids.certificate).copy(header);
  header.writeUInt32LE(header.length + entryBytes, 16);
  header.writeUInt32LE(entryBytes, 24);
  return Buffer.concat([header, encodeGuid(owner), certificate]);
}
