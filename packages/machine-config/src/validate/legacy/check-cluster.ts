import { isDnsName } from '../../forms/names.ts';
import { parseUrl } from '../../forms/url-text.ts';
import type { CheckedDocument } from '../checked-document.ts';
import { checkResources } from '../documents/kubernetes-rules.ts';
import { isFilter } from '../documents/network-rules.ts';

/** Checks the fields of `cluster`. Source: Talos v1.14: machine configuration, legacy document rules. */
export function checkCluster(legacy: CheckedDocument, isControlPlane: boolean): void {
  const cluster = legacy.at('cluster');
  if (cluster.has('controlPlane')) {
    if (!cluster.require('controlPlane', 'endpoint')) return;
    if (!parseUrl(cluster.text('controlPlane', 'endpoint'))?.host)
      cluster.refuse('must be a URL with scheme and host', 'controlPlane', 'endpoint');
  }
  const domain = cluster.text('network', 'dnsDomain');
  if (domain !== '' && !isDnsName(domain)) cluster.refuse('must be a DNS name', 'network', 'dnsDomain');
  checkCloudProvider(cluster);
  if (cluster.has('etcd')) checkEtcd(cluster, isControlPlane);
  if (cluster.text('ca', 'key') !== '' && !isControlPlane)
    cluster.refuse('is for control planes only', 'ca', 'key');
  checkManifests(cluster);
  checkDiscovery(cluster);
  checkAuthorizers(cluster);
  for (const component of ['apiServer', 'controllerManager', 'scheduler']) checkResources(cluster, component);
}

function checkCloudProvider(cluster: CheckedDocument): void {
  const manifests = cluster.texts('externalCloudProvider', 'manifests');
  if (!cluster.boolean('externalCloudProvider', 'enabled')) {
    if (manifests.length > 0)
      cluster.refuse('needs externalCloudProvider.enabled', 'externalCloudProvider', 'manifests');
    return;
  }
  for (const [at, url] of manifests.entries())
    if (!parseUrl(url)?.host)
      cluster.refuse('must be a URL with scheme and host', 'externalCloudProvider', 'manifests', at);
}

function checkEtcd(cluster: CheckedDocument, isControlPlane: boolean): void {
  const etcd = cluster.at('etcd');
  if (!isControlPlane) etcd.refuse('is for control planes only');
  if (!etcd.has('ca')) etcd.refuse('is required', 'ca');
  if (etcd.text('subnet') !== '' && etcd.texts('advertisedSubnets').length > 0)
    etcd.refuse('cannot be combined with advertisedSubnets', 'subnet');
  if (etcd.text('subnet') !== '' && !isFilter(etcd.text('subnet')))
    etcd.refuse('must be a prefix or address, "!" negates', 'subnet');
  for (const key of ['advertisedSubnets', 'listenSubnets'])
    for (const [at, subnet] of etcd.texts(key).entries())
      if (!isFilter(subnet)) etcd.refuse('must be a prefix or address, "!" negates', key, at);
}

function checkManifests(cluster: CheckedDocument): void {
  const names = new Set<string>();
  for (const manifest of cluster.items('inlineManifests')) {
    const name = manifest.text('name');
    if (manifest.require('name') && names.has(name)) manifest.refuse('is used twice', 'name');
    names.add(name);
  }
}

function checkDiscovery(cluster: CheckedDocument): void {
  const service = ['discovery', 'registries', 'service'];
  if (!cluster.boolean('discovery', 'enabled') || cluster.boolean(...service, 'disabled')) return;
  const endpoint = cluster.text(...service, 'endpoint');
  const url = parseUrl(endpoint);
  if (endpoint !== '' && !url?.host)
    cluster.refuse('must be a URL with scheme and host', ...service, 'endpoint');
  else if (url && !['', '/'].includes(url.path)) cluster.refuse('must have no path', ...service, 'endpoint');
  cluster.require('id');
  cluster.require('secret');
}

function checkAuthorizers(cluster: CheckedDocument): void {
  const authorizers = cluster.items('apiServer', 'authorizationConfig');
  if (authorizers.length > 0)
    for (const flag of Object.keys(cluster.map('apiServer', 'extraArgs')))
      if (flag === 'authorization-mode' || flag.startsWith('authorization-webhook-'))
        cluster.refuse('cannot be combined with authorizationConfig', 'apiServer', 'extraArgs', flag);
  for (const authorizer of authorizers) {
    authorizer.require('name');
    if (authorizer.require('type') && !['Node', 'RBAC', 'Webhook'].includes(authorizer.text('type')))
      authorizer.refuse('must be Node, RBAC or Webhook', 'type');
  }
}
