// File names are bytes, but protobuf strings are text. Inside machined a path is a "byte string" with one
// character per byte (latin1). So no name is lost, and strings are sorted in the order of their bytes.

const ascii = /^[\0-\x7f]*$/;

/** One well-formed UTF-8 character, or one byte that is not part of such a character. */
const utf8Unit =
  /[\0-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g;

/** Encodes a text from a protobuf message as UTF-8, and returns the bytes as a string of characters 0 to 255. */
export function bytesFromText(text: string): string {
  return ascii.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** Converts a byte string to a text for a message. A byte that is not UTF-8 is written as `\xff`. */
export function textFromBytes(bytes: string): string {
  if (ascii.test(bytes)) return bytes;
  const escaped = bytes.replace(utf8Unit, (unit) =>
    unit.length === 1 && unit > '\x7f' ? `\\x${unit.charCodeAt(0).toString(16)}` : unit,
  );
  return Buffer.from(escaped, 'latin1').toString('utf8');
}
