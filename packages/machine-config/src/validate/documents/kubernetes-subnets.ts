import { type IpFamily, isMasked, type Prefix, parsePrefix, widthOf } from '../../forms/ip-text.ts';
import type { CheckedDocument } from '../checked-document.ts';

/** Source: Talos v1.14: machine configuration, subnet rules of KubeNetworkConfig. */
export function checkSubnets(document: CheckedDocument): void {
  const pods = subnetsOf(document, 'podSubnets');
  const services = subnetsOf(document, 'serviceSubnets');
  if (document.texts('podSubnets').length !== document.texts('serviceSubnets').length)
    document.refuse('must have as many entries as podSubnets', 'serviceSubnets');
  checkMask(document, 4, 'nodeCIDRMaskSizeIPv4', pods);
  checkMask(document, 6, 'nodeCIDRMaskSizeIPv6', pods);
  for (const { prefix, at } of services)
    if (widthOf(prefix.family) - prefix.length > 20)
      document.refuse('must have at most 20 host bits', 'serviceSubnets', at);
}

interface Subnet {
  readonly prefix: Prefix;
  readonly at: number;
}

/** Parses one or two subnets; two must have different address families. */
function subnetsOf(document: CheckedDocument, key: string): Subnet[] {
  const texts = document.texts(key);
  if (texts.length < 1 || texts.length > 2) document.refuse('must have one or two entries', key);
  const subnets: Subnet[] = [];
  for (const [at, text] of texts.entries()) {
    const prefix = parsePrefix(text);
    if (!prefix || !isMasked(prefix)) document.refuse('must be a prefix without host bits', key, at);
    else if (widthOf(prefix.family) - prefix.length < 4)
      document.refuse('must have at least 4 host bits', key, at);
    else if (subnets.some((other) => other.prefix.family === prefix.family))
      document.refuse('must be of the other address family', key, at);
    else subnets.push({ prefix, at });
  }
  return subnets;
}

function checkMask(document: CheckedDocument, family: IpFamily, key: string, pods: readonly Subnet[]): void {
  const given = document.integer(key) ?? 0;
  if (given < 0 || given > widthOf(family)) document.refuse(`must be 1 to ${widthOf(family)}`, key);
  const mask = given === 0 ? (family === 4 ? 24 : 64) : given;
  for (const { prefix, at } of pods) {
    if (prefix.family !== family) continue;
    if (prefix.length > mask)
      document.refuse(`must not have a prefix longer than the node mask, ${mask}`, 'podSubnets', at);
    else if (mask - prefix.length > 16)
      document.refuse(
        `must have a prefix at most 16 bits shorter than the node mask, ${mask}`,
        'podSubnets',
        at,
      );
  }
}
