import { isDns1123Subdomain } from '../forms/names.ts';

/** The longest name of a Kubernetes object. Source: Kubernetes: names. */
const maxLength = 253;

const words = (text: string, separator: string | RegExp) =>
  text.split(separator).filter((word) => word !== '');

/** A name for a document that is derived from a URL, so that the same URL has the same name in each file. */
export function dnsNameFrom(url: string): string {
  const bare = url.replace(/^[a-z]+:\/\//i, '').toLowerCase();
  const labels = bare.split('.').map((label) => words(label, /[^a-z0-9]+/).join('-'));
  // The cut may have left one dash or dot in front.
  const name = words(labels.join('.'), '.').join('.').slice(-maxLength).replace(/^[-.]/, '');
  return isDns1123Subdomain(name) ? name : 'manifest';
}
