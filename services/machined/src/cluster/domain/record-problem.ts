import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { canonicalAddress, isNodeAddress } from './canonical-address.ts';
import { isAddressText } from './node-names.ts';

/** Longer than any text of a record that a node makes. */
const maxTextLength = 253;
const maxAddresses = 64;

const nodeIdForm = /^[0-9A-Za-z]{1,64}$/;
const nameForm = /^[0-9A-Za-z](?:[0-9A-Za-z.-]*[0-9A-Za-z])?$/;
const printable = /^[\x20-\x7e]*$/;

const shown = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
const isName = (text: string) => text.length <= maxTextLength && nameForm.test(text);

/** What is wrong with a record that a node tells of itself, as a phrase; undefined when it may be kept. */
export function recordProblem(record: NodeRecord): string | undefined {
  const { nodeId, addresses, hostname, nodename, operatingSystem, apiServerPort } = record;
  if (!nodeIdForm.test(nodeId)) return `the node id ${shown(nodeId)} is none`;
  if (!isName(hostname)) return `the hostname ${shown(hostname)} is none`;
  if (nodename !== '' && !isName(nodename)) return `the nodename ${shown(nodename)} is none`;
  const address = [hostname, nodename].find(isAddressText);
  if (address !== undefined) return `the name ${shown(address)} reads as an IP address`;
  if (operatingSystem.length > maxTextLength || !printable.test(operatingSystem))
    return `the operating system ${shown(operatingSystem)} is none`;
  if (apiServerPort > 65_535) return `the port ${apiServerPort} of the API server is none`;
  if (addresses.length === 0) return 'it has no address';
  if (addresses.length > maxAddresses)
    return `it has ${addresses.length} addresses, more than ${maxAddresses}`;
  const wrong = addresses.find((address) => !isAddressOfNode(address));
  return wrong === undefined ? undefined : `${shown(wrong)} is no address of a node`;
}

function isAddressOfNode(text: string): boolean {
  const address = canonicalAddress(text);
  return address !== undefined && isNodeAddress(address);
}
