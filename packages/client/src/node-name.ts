import { Fault } from '@nodewright/fault';

const plainName = /^[\x21-\x7e]+$/;

/** Quotes a text as one line of ASCII. */
export function quoteText(text: string): string {
  const quoted = JSON.stringify(text);
  return quoted.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Formats a node name for a line of output: in quotes if it has blanks or characters outside of ASCII. */
export function nodeNameInLine(name: string): string {
  return plainName.test(name) ? name : quoteText(name);
}

/**
 * Checks the name or address of a node that a user gave. The name is sent in a header, which cannot carry
 * blanks, line breaks or characters outside of ASCII.
 *
 * @throws Fault `invalid-argument` that quotes the name
 */
export function checkNodeName(name: string): void {
  if (plainName.test(name) && !name.includes(',')) return;
  const problem = name.trim() === '' ? 'is empty' : 'is not a host name or an address';
  throw new Fault('invalid-argument', `node name ${quoteText(name)} ${problem}`);
}
