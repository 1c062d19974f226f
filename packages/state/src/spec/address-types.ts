import { message } from './composite-types.ts';
import { field } from './field.ts';
import type { FieldType } from './field-type.ts';
import { ipBytes, ipText } from './ip-text.ts';
import { bytes, delimited, int, text } from './scalar-types.ts';

// Upstream's types of addresses have no parts that YAML could see: whatever they hold, YAML takes them for empty.
const hidden = { isOmitted: () => true } as const;

const ipMessage = message({ ip: field(1, bytes), number: field(2, int) });

/** `10.0.0.1`; empty: none. A field of YAML that is left out when it is empty never shows one. */
export const ip: FieldType<string> = {
  ...text,
  ...hidden,
  shape: { word: 'ip' },
  write: (writer, number, value) => ipMessage.write(writer, number, { ip: ipBytes(value), number: 0 }),
  read: (reader, wireType) => ipText(ipMessage.read(reader, wireType, ipMessage.empty).ip),
};

/** `10.0.0.1/24`; empty: none. A field of YAML that is left out when it is empty never shows one. */
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

/** `10.0.0.1:53`, `[fd00::1]:53`; empty: none. A field of YAML that is left out when it is empty never shows one. */
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

/** `52:54:00:aa:bb:01`; empty: none. */
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
