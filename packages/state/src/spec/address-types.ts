import { message } from './composite-types.ts';
import { field } from './field.ts';
import type { FieldType } from './field-type.ts';
import { ipBytes, ipText } from './ip-text.ts';
import { bytes, delimited, int, text } from './scalar-types.ts';

// In Go, address types have no exported fields, so the YAML library of Talos always treats them as empty.
const hidden = { isOmitted: () => true } as const;

const ipMessage = message({ ip: field(1, bytes), number: field(2, int) });

/**
 * An IP address such as `10.0.0.1`, or empty. In YAML, an `omitempty` field of this type is always omitted.
 */
export const ip: FieldType<string> = {
  ...text,
  ...hidden,
  shape: { word: 'ip' },
  write: (writer, number, value) => ipMessage.write(writer, number, { ip: ipBytes(value), number: 0 }),
  read: (reader, wireType) => ipText(ipMessage.read(reader, wireType, ipMessage.empty).ip),
};

/**
 * An address with prefix length such as `10.0.0.1/24`, or empty. In YAML, an `omitempty` field of this type
 * is always omitted.
 */
export const cidr: FieldType<string> = {
  ...text,
  ...hidden,
  shape: { word: 'cidr' },
  write(writer, number, value) {
    const [address = '', length] = value.split('/');
    ipMessage.write(writer, number, { ip: ipBytes(address), number: Number(length ?? 0) });
  },
  read(reader, wireType) {
    const { ip: address, number: length } = ipMessage.read(reader, wireType, ipMessage.empty);
    return address.length === 0 ? '' : `${ipText(address)}/${length}`;
  },
};

/**
 * An address with port such as `10.0.0.1:53` or `[fd00::1]:53`, or empty. In YAML, an `omitempty` field of
 * this type is always omitted.
 */
export const ipPort: FieldType<string> = {
  ...text,
  ...hidden,
  shape: { word: 'ipport' },
  write(writer, number, value) {
    const colon = value.lastIndexOf(':');
    const address = value.slice(0, Math.max(colon, 0)).replace(/^\[(.*)\]$/, '$1');
    ipMessage.write(writer, number, { ip: ipBytes(address), number: Number(value.slice(colon + 1)) });
  },
  read(reader, wireType) {
    const { ip: address, number: port } = ipMessage.read(reader, wireType, ipMessage.empty);
    const host = ipText(address);
    if (host === '') return '';
    return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  },
};

/** A MAC address such as `52:54:00:aa:bb:01`, or empty. */
export const mac: FieldType<string> = {
  ...text,
  shape: { word: 'mac' },
  write: (writer, number, value) =>
    void delimited(writer, number).bytes(Buffer.from(value.replaceAll(':', ''), 'hex')),
  read: (reader) =>
    Buffer.from(reader.bytes())
      .toString('hex')
      .replace(/..(?=.)/g, '$&:'),
};
