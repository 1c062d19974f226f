import { redactionMark } from './known-secrets.ts';

/** The longest word before `PRIVATE KEY` is `ENCRYPTED `. */
const label = '[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----';
const pemBegin = new RegExp(`-----BEGIN ${label}`, 'g');
const pemEnd = new RegExp(`-----END ${label}`, 'g');
/** Base64 of `-----BEGI`, the beginning of keys in configurations. */
const encodedPem = /LS0tLS1CRUdJ[A-Za-z0-9+/=_-]*/g;

/** Index of the next beginning of a private key in PEM, or -1. */
export function keyBeginAt(text: string, from = 0): number {
  pemBegin.lastIndex = from;
  return pemBegin.exec(text)?.index ?? -1;
}

/** Index after the next end of a private key in PEM, or -1. */
export function keyEndAfter(text: string, from = 0): number {
  pemEnd.lastIndex = from;
  return pemEnd.test(text) ? pemEnd.lastIndex : -1;
}

/** Replaces private keys whose begin and end are in the text, and keys in base64. */
export function hideWholeKeys(text: string): string {
  let hidden = '';
  let written = 0;
  for (let begin = keyBeginAt(text); begin >= 0; begin = keyBeginAt(text, written)) {
    const end = keyEndAfter(text, begin);
    // Without an end, no later key has one either.
    if (end < 0) break;
    hidden += text.slice(written, begin) + redactionMark;
    written = end;
  }
  return (hidden + text.slice(written)).replace(encodedPem, (base64) =>
    isEncodedKey(base64) ? redactionMark : base64,
  );
}

function isEncodedKey(base64: string): boolean {
  return Buffer.from(base64, 'base64').toString('latin1').includes('PRIVATE KEY');
}
