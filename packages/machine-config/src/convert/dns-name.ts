import { isDns1123Subdomain } from '../forms/names.ts';

/** The longest name of a Kubernetes object. Source: Kubernetes: object names. */
const maxLength = 253;

/** A name for a document that is derived from a URL, so that the same URL has the same name in each file. */
export function dnsNameFrom(url: string): string {
  const bare = url.replace(/^[a-z]+:\/\//i, '').toLowerCase();
  const name = bare
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/[-.]*\.[-.]*/g, '.')
    .slice(-maxLength)
    .replaceAll(/^[-.]+|[-.]+$/g, '');
  return isDns1123Subdomain(name) ? name : 'manifest';
}
