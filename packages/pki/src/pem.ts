import { Fault } from '@nodewright/fault';

/** One PEM block: its label and its decoded bytes. */
export interface PemBlock {
  readonly label: string;
  readonly der: Buffer;
}

const beginMark = '-----BEGIN ';
const dashes = '-----';

/**
 * All blocks of a text, in order; text between blocks is ignored. Throws a Fault `invalid-argument` for a
 * block that is not closed, is not base64 or is encrypted. The message never contains the content, which may
 * be a key.
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
  // Buffer ignores invalid characters, so the decoded bytes are encoded again to check them.
  if (bytes.toString('base64') !== base64) {
    throw new Fault('invalid-argument', `PEM block ${JSON.stringify(label)} is not base64`);
  }
  return bytes;
}

/** The PEM text with lines of 64 characters and a final newline. */
export function encodePem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.map((line) => `${line}\n`).join('')}-----END ${label}-----\n`;
}

/**
 * The blocks of a text, each as a PEM text of its own, for example to split a bundle of accepted CAs. With
 * `label` only blocks with that label. A text without blocks gives an empty list. Throws as `decodePem` does.
 */
export function splitPem(text: string | Uint8Array, label?: string): string[] {
  return decodePem(text)
    .filter((block) => label === undefined || block.label === label)
    .map((block) => encodePem(block.label, block.der));
}
