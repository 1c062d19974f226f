// Command lines of processes. A process, such as one in a pod, can give itself one of several MiB, so only the beginning is read.
import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { withoutEnd } from './without-end.ts';

/** Bytes of a command line that are shown. */
export const commandLineBytes = 8 * 1024;

/** Reads the beginning of a command line: one byte more than is shown, which tells whether there is more. */
export function readCommandLine(path: string): string {
  const descriptor = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(commandLineBytes + 1);
    let length = 0;
    while (length < buffer.length) {
      const bytes = readSync(descriptor, buffer, length, buffer.length - length, null);
      if (bytes === 0) break;
      length += bytes;
    }
    return commandLineFrom(buffer.subarray(0, length));
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The arguments joined by blanks; a longer command line ends with `…`. Its last word is left out then, or what follows the
 * scheme of a URL if it is the only one: the password of a URL is recognised by its end only.
 */
function commandLineFrom(bytes: Buffer): string {
  if (bytes.length <= commandLineBytes) return withoutEnd(bytes.toString(), '\0').replaceAll('\0', ' ');
  // The decoder keeps back a character of which the end is missing.
  const text = new StringDecoder('utf8').write(bytes.subarray(0, commandLineBytes)).replaceAll('\0', ' ');
  const isBetweenWords = separators.has(String.fromCharCode(bytes[commandLineBytes] ?? 0));
  return `${isBetweenWords ? text : wholeWords(text)}…`;
}

/** What ends a URL in a command line. */
const separators = new Set(['\0', ' ', '\t', '\n', '\r', '"', "'"]);

function wholeWords(text: string): string {
  let end = text.length;
  while (end > 0 && !separators.has(text.charAt(end - 1))) end -= 1;
  if (end > 0) return text.slice(0, end);
  const scheme = text.indexOf('://');
  return scheme < 0 ? text : text.slice(0, scheme + '://'.length);
}
