import { createHash } from 'node:crypto';

const maxLinkName = 15;
/** The dot and a number of up to four digits. */
const vlanSuffix = 5;

/**
 * The name of a VLAN. For a parent with a long name it has the beginning of that name and of its hash. Source: Talos v1.14: kernel command line.
 */
export function vlanLinkName(parent: string, vlanID: number): string {
  if (Buffer.byteLength(parent) + vlanSuffix <= maxLinkName) return `${parent}.${vlanID}`;
  const hash = createHash('sha256').update(parent).digest('hex');
  return `${parent.slice(0, 4)}${hash.slice(0, 6)}.${vlanID}`;
}
