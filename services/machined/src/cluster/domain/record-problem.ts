import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { canonicalAddress, isNodeAddress } from './canonical-address.ts';
import { isControlPlaneType } from './machine-type-message.ts';
import { isAddressText } from './node-names.ts';

/** Longer than any text in a record that a node publishes. */
const maxTextLength = 253;
const maxAddresses = 64;

const nodeIdForm = /^[0-9A-Za-z]{1,64}$/;
const nameForm = /^[0-9A-Za-z](?:[0-9A-Za-z.-]*[0-9A-Za-z])?$/;
const printable = /^[\x20-\x7e]*$/;

const shown = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
const isName = (text: string) => text.length <= maxTextLength && nameForm.test(text);

/** Describes what is invalid in a record that a node reports; `undefined` when the record is valid. */
export function recordProblem(record: NodeRecord): string | undefined {
  const { nodeId, addresses, hostname, nodename, operatingSystem, machineType, apiServerPort } = record;
  if (!nodeIdForm.test(nodeId)) return `${shown(nodeId)} is not a valid node id`;
  if (!isName(hostname)) return `${shown(hostname)} is not a valid hostname`;
  if (nodename !== '' && !isName(nodename)) return `${shown(nodename)} is not a valid nodename`;
  const address = [hostname, nodename].find(isAddressText);
  if (address !== undefined) return `the name ${shown(address)} is read as an IP address`;
  if (operatingSystem.length > maxTextLength || !printable.test(operatingSystem))
    return `${shown(operatingSystem)} is not a valid operating system`;
  if (apiServerPort !== 0 && !isControlPlaneType(machineType))
    return `only a control plane has an API server, not at port ${apiServerPort} of this node`;
  if (apiServerPort > 65_535) return `${apiServerPort} is not a valid port of the API server`;
  if (addresses.length === 0) return 'the node has no address';
  if (addresses.length > maxAddresses)
    return `the node has ${addresses.length} addresses, more than ${maxAddresses}`;
  const wrong = addresses.find((address) => !isAddressOfNode(address));
  return wrong === undefined ? undefined : `${shown(wrong)} is not an address that a node can have`;
}

function isAddressOfNode(text: string): boolean {
  const address = canonicalAddress(text);
  return address !== undefined && isNodeAddress(address);
}
