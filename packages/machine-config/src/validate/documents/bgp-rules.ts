import { isMasked, overlap, type Prefix, parsePrefix } from '../../forms/ip-text.ts';
import type { CheckedDocument, DocumentRules } from '../checked-document.ts';
import { checkNotNegative } from './block-rules.ts';

/** Source: Talos v1.14: machine configuration, BGPInstanceConfig. */
export const bgpRules: DocumentRules = {
  BGPInstanceConfig(document) {
    document.require('name');
    if (!document.integer('localASN')) document.refuse('is required', 'localASN');
    const routerID = document.text('routerID');
    if (routerID.includes(':')) document.refuse('must be an IPv4 address', 'routerID');
    checkNeighbours(document);
    checkImports(document);
  },
};

function checkNeighbours(document: CheckedDocument): void {
  const neighbours = document.items('neighbors');
  if (neighbours.length === 0) document.warn('has no entry', 'neighbors');
  const seen = new Set<string>();
  for (const neighbour of neighbours) {
    const [address, link] = [neighbour.text('address'), neighbour.text('link')];
    if ((address === '') === (link === '')) neighbour.refuse('needs exactly one of address and link');
    else if (seen.has(`${address} ${link}`)) neighbour.refuse('is given twice');
    seen.add(`${address} ${link}`);
    checkNotNegative(neighbour, 'holdTime');
    checkNotNegative(neighbour, 'bfd', 'transmitInterval');
    checkNotNegative(neighbour, 'bfd', 'receiveInterval');
    if (neighbour.has('bfd') && document.text('vrf') !== '')
      neighbour.refuse('is not supported inside a VRF', 'bfd');
  }
}

function checkImports(document: CheckedDocument): void {
  const sources = new Set<string>();
  const earlier: Prefix[] = [];
  for (const entry of document.items('importRoutes')) {
    const source = entry.text('bgpInstance');
    if (entry.require('bgpInstance') && source === document.name)
      entry.refuse('must be another instance', 'bgpInstance');
    if (sources.has(source)) entry.refuse('is given twice', 'bgpInstance');
    sources.add(source);
    checkPrefixes(entry, earlier);
  }
}

/**
 * Requires at least one prefix. Prefixes must have no host bits and must not overlap, even between entries.
 */
function checkPrefixes(entry: CheckedDocument, earlier: Prefix[]): void {
  const texts = entry.texts('prefixes');
  if (texts.length === 0) entry.refuse('needs at least one prefix', 'prefixes');
  for (const [at, text] of texts.entries()) {
    const prefix = parsePrefix(text);
    if (!prefix || !isMasked(prefix)) entry.refuse('must be a prefix without host bits', 'prefixes', at);
    else if (earlier.some((other) => overlap(other, prefix)))
      entry.refuse('overlaps with another prefix', 'prefixes', at);
    else earlier.push(prefix);
  }
}
