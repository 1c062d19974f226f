/** The encodings of YAML by their byte order marks. Without a mark the text is UTF-8. */
const encodings = [
  { name: 'utf-16le', mark: [0xff, 0xfe] },
  { name: 'utf-16be', mark: [0xfe, 0xff] },
] as const;

/**
 * Decodes the bytes of a configuration: UTF-8, or UTF-16 with a byte order mark. The mark of UTF-16 is
 * removed, that of UTF-8 stays, as the reader of YAML knows it. Returns `undefined` if the bytes are no text.
 *
 * Source: YAML 1.1: character encoding.
 */
export function decodeConfigurationText(bytes: Uint8Array): string | undefined {
  const encoding = encodings.find(({ mark }) => mark.every((byte, at) => bytes[at] === byte));
  try {
    if (encoding !== undefined) return new TextDecoder(encoding.name, { fatal: true }).decode(bytes);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
