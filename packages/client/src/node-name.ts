import { Fault } from '@nodewright/fault';

const plainName = /^[\x21-\x7e]+$/;

/** A text in quotes, in one line of ASCII. */
export function quoteText(text: string): string {
  const quoted = JSON.stringify(text);
  return quoted.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A name as it may stand in a line of output: as it is when it is plain, else in quotes. */
export function nodeNameInLine(name: string): string {
  return plainName.test(name) ? name : quoteText(name);
}

/**
 * Checks what a user gives as the name or address of a node: it goes into a header, which has no room for blanks, line
 * breaks and characters outside of ASCII.
 *
 * @throws Fault `invalid-argument` that quotes the name
 */
export function checkNodeName(name: string): void {
  if (plainName.test(name) && !name.includes(',')) return;
  const problem = name.trim() === '' ? 'is empty' : 'is no host name and no address';
  throw new Fault('invalid-argument', `node name ${quoteText(name)} ${problem}`);
}
