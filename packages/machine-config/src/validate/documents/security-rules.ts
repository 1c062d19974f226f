import { isPciAddress } from '../../forms/names.ts';
import { parseUrl } from '../../forms/url-text.ts';
import type { CheckedDocument, DocumentRules } from '../checked-document.ts';

/**
 * Rules for discovery, hardware, trust and SideroLink. Source: Talos v1.14: machine configuration, hardware,
 * security.
 */
export const securityRules: DocumentRules = {
  DiscoveryServiceConfig(document) {
    document.require('name');
    if (!document.require('endpoint')) return;
    const url = parseUrl(document.text('endpoint'));
    if (!url?.host || !['http', 'https', 'grpc'].includes(url.scheme))
      document.refuse('must be a URL with scheme http, https or grpc and a host', 'endpoint');
  },
  DiscoveryIdentityConfig(document) {
    document.require('clusterID');
    if (document.require('clusterSecret') && !isKey(document.text('clusterSecret')))
      document.refuse('must be base64 of 32 bytes', 'clusterSecret');
  },
  PCIDriverRebindConfig(document) {
    if (!isPciAddress(document.name)) document.refuse('must be a PCI address such as 0000:04:00.00', 'name');
    document.require('targetDriver');
  },
  ImageVerificationConfig(document) {
    for (const rule of document.items('rules')) checkVerificationRule(rule);
  },
  SideroLinkConfig(document) {
    if (!document.require('apiUrl')) return;
    const url = parseUrl(document.text('apiUrl'));
    if (!url?.host || !['https', 'grpc'].includes(url.scheme) || !['', '/'].includes(url.path))
      document.refuse('must be a URL with scheme https or grpc, a host and no path', 'apiUrl');
  },
};

/** Whether the text is standard base64 of 32 bytes. */
export function isKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(text);
}

function checkVerificationRule(rule: CheckedDocument): void {
  if (rule.require('image')) {
    const image = rule.text('image');
    if (image.includes('@')) rule.warn('contains "@": digests are not compared', 'image');
    if (image.slice(image.indexOf('/') + 1).includes(':') && image.includes('/'))
      rule.warn('contains ":" after the first "/": tags are not compared', 'image');
    if (!image.includes('/') && image !== '*')
      rule.warn('contains no "/": it matches only a registry', 'image');
  }
  const [skip, deny] = [rule.boolean('skip') ?? false, rule.boolean('deny') ?? false];
  const verifiers = ['keyless', 'publicKey'].filter((key) => rule.has(key));
  if (skip && deny) rule.refuse('cannot be combined with skip', 'deny');
  if ((skip || deny) && verifiers.length > 0)
    rule.refuse('cannot be combined with skip or deny', verifiers[0] as string);
  if (!skip && !deny && verifiers.length !== 1) rule.refuse('needs exactly one of keyless and publicKey');
  if (rule.has('keyless')) {
    rule.require('keyless', 'issuer');
    if (rule.text('keyless', 'subject') === '' && rule.text('keyless', 'subjectRegex') === '')
      rule.refuse('needs subject or subjectRegex', 'keyless');
  }
  if (rule.has('publicKey')) rule.require('publicKey', 'certificate');
}
