import { parseByteSize } from '../../forms/byte-size.ts';
import { hasDigest, isImageReference } from '../../forms/image-reference.ts';
import type { CheckedDocument, DocumentRules } from '../checked-document.ts';

const mountOptions = ['ro', 'rw', 'noexec', 'nosuid', 'nodev', 'noatime', 'rbind', 'rshared'];
const mountKinds = ['userVolume', 'tmpfs', 'hostPath'] as const;
const conditions = ['addresses', 'connectivity', 'hostname', 'etcfiles'];

/** The largest user or group. Source: Talos v1.14: machine configuration, containers. */
const maxId = 2 ** 31 - 1;

/** Rules for containers. Source: Talos v1.14: machine configuration, containers. */
export const containerRules: DocumentRules = {
  ContainerConfig(document) {
    if (!/^[a-z0-9-]{1,63}$/.test(document.name))
      document.refuse('must be 1 to 63 of a-z, 0-9 and "-"', 'name');
    checkImage(document);
    for (const key of ['uid', 'gid']) {
      const id = document.integer('runAs', key) ?? 0;
      if (id < 0 || id > maxId) document.refuse(`must be 0 to ${maxId}`, 'runAs', key);
    }
    for (const [at, variable] of document.texts('environment').entries())
      if (!variable.includes('=')) document.refuse('must be NAME=value', 'environment', at);
    checkMounts(document);
    checkSecurity(document);
    const mode = document.text('network', 'mode') || 'none';
    if (!['none', 'host'].includes(mode)) document.refuse('must be none or host', 'network', 'mode');
    checkResources(document);
    checkDependencies(document);
  },
};

function checkImage(document: CheckedDocument): void {
  if (!document.require('image')) return;
  const image = document.text('image');
  if (!isImageReference(image)) document.refuse('must be an image reference', 'image');
  else if (!hasDigest(image)) document.warn('is not pinned by a digest', 'image');
}

function checkMounts(document: CheckedDocument): void {
  const destinations = new Set<string>();
  for (const mount of document.items('mounts')) {
    const kinds = mountKinds.filter((kind) => mount.has(kind));
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1) {
      mount.refuse(`must be exactly one of ${mountKinds.join(', ')}`);
      continue;
    }
    const part = mount.at(kind);
    if (kind === 'userVolume') part.require('name');
    if (kind === 'hostPath') requireAbsolute(part, 'source');
    requireAbsolute(part, 'destination');
    if (part.text('size') !== '' && parseByteSize(part.text('size')) === undefined)
      part.refuse('must be a size such as "64MiB"', 'size');
    const destination = part.text('destination');
    if (destinations.has(destination)) part.refuse('is used by another mount', 'destination');
    destinations.add(destination);
    const options = part.texts('options');
    for (const [at, option] of options.entries())
      if (!mountOptions.includes(option))
        part.refuse(`must be one of ${mountOptions.join(', ')}`, 'options', at);
    if (options.includes('ro') && options.includes('rw')) part.refuse('cannot be both ro and rw', 'options');
  }
}

function checkSecurity(document: CheckedDocument): void {
  const profile = document.text('security', 'profile') || 'restricted';
  if (!['restricted', 'privileged'].includes(profile))
    document.refuse('must be restricted or privileged', 'security', 'profile');
  const added = document.texts('security', 'capabilities', 'add');
  for (const key of ['add', 'drop']) {
    for (const [at, name] of document.texts('security', 'capabilities', key).entries()) {
      const path = ['security', 'capabilities', key, at] as const;
      if (!/^[A-Z][A-Z0-9_]*$/.test(name) || name.startsWith('CAP_'))
        document.refuse('must be in upper case and without "CAP_"', ...path);
      else if (name === 'ALL' && key === 'add') document.refuse('cannot be ALL', ...path);
      else if (key === 'drop' && added.includes(name)) document.refuse('is also added', ...path);
    }
  }
}

function checkResources(document: CheckedDocument): void {
  const cpu = document.text('resources', 'limits', 'cpu');
  if (cpu !== '' && !/^0*[1-9]\d*m$/.test(cpu))
    document.refuse('must be millicores above 0, such as "500m"', 'resources', 'limits', 'cpu');
  const memory = document.text('resources', 'limits', 'memory');
  if (memory !== '' && parseByteSize(memory) === undefined)
    document.refuse('must be a size such as "64MiB"', 'resources', 'limits', 'memory');
}

function checkDependencies(document: CheckedDocument): void {
  for (const [at, path] of document.texts('dependsOn', 'paths').entries())
    if (!path.startsWith('/')) document.refuse('must be an absolute path', 'dependsOn', 'paths', at);
  for (const [at, name] of document.texts('dependsOn', 'networks').entries())
    if (!conditions.includes(name))
      document.refuse(`must be one of ${conditions.join(', ')}`, 'dependsOn', 'networks', at);
  for (const [at, name] of document.texts('dependsOn', 'containers').entries())
    if (name === document.name)
      document.refuse('cannot be the container itself', 'dependsOn', 'containers', at);
}

function requireAbsolute(document: CheckedDocument, key: string): void {
  if (document.require(key) && !document.text(key).startsWith('/'))
    document.refuse('must be an absolute path', key);
}
