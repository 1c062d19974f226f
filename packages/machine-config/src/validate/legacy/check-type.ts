import { parseUrl } from '../../forms/url-text.ts';
import type { CheckedDocument } from '../checked-document.ts';

/** Checks fields that are required only on control planes. */
export function checkControlPlane(legacy: CheckedDocument): void {
  if (legacy.text('machine', 'ca', 'crt') === '')
    legacy.refuse('is required on a control plane', 'machine', 'ca', 'crt');
  else if (legacy.text('machine', 'ca', 'key') === '')
    legacy.refuse('is required on a control plane', 'machine', 'ca', 'key');
  if (legacy.has('cluster', 'network', 'cni')) checkCni(legacy.at('cluster', 'network', 'cni'));
}

function checkCni(cni: CheckedDocument): void {
  const name = cni.text('name');
  const urls = cni.texts('urls');
  if (!['flannel', 'custom', 'none'].includes(name)) {
    cni.refuse('must be flannel, custom or none', 'name');
    return;
  }
  if (name !== 'custom' && urls.length > 0) cni.refuse(`cannot be combined with the name ${name}`, 'urls');
  if (name !== 'flannel' && cni.has('flannel'))
    cni.refuse(`cannot be combined with the name ${name}`, 'flannel');
  if (name !== 'custom') return;
  if (urls.length === 0) cni.warn('is empty', 'urls');
  for (const [at, url] of urls.entries())
    if (!parseUrl(url)?.host) cni.refuse('must be a URL with scheme and host', 'urls', at);
}

/** Rejects fields that are not allowed on workers. */
export function checkWorker(legacy: CheckedDocument): void {
  if (legacy.text('machine', 'ca', 'key') !== '')
    legacy.refuse('is not allowed on a worker', 'machine', 'ca', 'key');
  for (const link of legacy.items('machine', 'network', 'interfaces'))
    for (const part of [link, ...link.items('vlans')])
      if (part.has('vip')) part.refuse('is for control planes only', 'vip');
}
