import { Fault } from '@nodewright/fault';

/** One armoured block: the text between the dashes and the bytes it stands for. */
export interface PemBlock {
  readonly label: string;
  readonly der: Buffer;
}

const beginMark = '-----BEGIN ';
const dashes = '-----';

/**
 * All blocks of a text, in order; text between blocks is ignored. Throws a Fault `invalid-argument` for a block that
 * is not closed, is not base64 or is encrypted. The message never holds the content: it may be a key.
 */
export function decodePem(text: string | Uint8Array): PemBlock[] {
  const source = typeof text === 'string' ? text : Buffer.from(text).toString('latin1');
  const blocks: PemBlock[] = [];
  for (let position = source.indexOf(beginMark); position >= 0; ) {
    const labelStart = position + beginMark.length;
    const labelEnd = source.indexOf(dashes, labelStart);
    const label = labelEnd < 0 ? '' : source.slice(labelStart, labelEnd);
    if (labelEnd < 0 || /[\r\n]/.test(label)) throw new Fault('invalid-argument', 'malformed PEM header');
    const bodyStart = labelEnd + dashes.length;
    const endMark = `-----END ${label}-----`;
    const bodyEnd = source.indexOf(endMark, bodyStart);
    if (bodyEnd < 0) throw new Fault('invalid-argument', `PEM block ${JSON.stringify(label)} has no end`);
    blocks.push({ label, der: decodeBody(label, source.slice(bodyStart, bodyEnd)) });
    position = source.indexOf(beginMark, bodyEnd + endMark.length);
  }
  return blocks;
}

function decodeBody(label: string, body: string): Buffer {
  if (body.includes('ENCRYPTED')) {
    throw new Fault('invalid-argument', `PEM block ${JSON.stringify(label)} is encrypted`);
  }
  const base64 = body.replace(/[\r\n\t ]+/g, '');
  const bytes = Buffer.from(base64, 'base64');
  // Buffer skips what it does not understand, so the way back is the check.
  if (bytes.toString('base64') !== base64) {
    throw new Fault('invalid-argument', `PEM block ${JSON.stringify(label)} is not base64`);
  }
  return bytes;
}

/** The armoured form, lines of 64 characters, with a final newline. */
export function encodePem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.map((line) => `${line}\n`).join('')}-----END ${label}-----\n`;
}

/**
 * The blocks of a text, each as PEM of its own in the usual line length: a bundle of accepted CAs taken apart.
 * With `label` only blocks of that label. A text without any gives an empty list; faults as `decodePem`.
 */
export function splitPem(text: string | Uint8Array, label?: string): string[] {
  return decodePem(text)
    .filter((block) => label === undefined || block.label === label)
    .map((block) => encodePem(block.label, block.der));
}
