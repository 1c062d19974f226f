import { Fault } from '@nodewright/fault';
import type { JsonObject } from '@nodewright/state';
import { inventoryKey, type ObjectIdentity } from '../domain/manifests/object-identity.ts';
import type { KubernetesObjects } from '../host/kubernetes-objects.ts';

/** Kinds that the API server knows, with whether they have namespaces. */
const kinds: Record<string, boolean> = {
  'v1 Namespace': false,
  'v1 ConfigMap': true,
  'v1 Secret': true,
  'apiextensions.k8s.io/v1 CustomResourceDefinition': false,
};

export interface MemoryCluster {
  readonly objects: KubernetesObjects;
  /** Objects by the key of the inventory. */
  readonly stored: Map<string, JsonObject>;
  /** What was applied and deleted, in order. */
  readonly done: string[];
  /** Called before each change; it may throw what an API server answers, or end the pass. */
  hook: (verb: 'apply' | 'remove' | 'write', key: string) => void;
}

/** An API server in memory: it keeps objects, and knows a kind once its definition is applied. */
export function createMemoryCluster(): MemoryCluster {
  const served = { ...kinds };
  const stored = new Map<string, JsonObject>();
  let version = 0;
  const cluster: MemoryCluster = {
    stored,
    done: [],
    hook: () => {},
    objects: {
      async assertReady() {},
      async placeOf(apiVersion, kind) {
        const isNamespaced = served[`${apiVersion} ${kind}`];
        return isNamespaced === undefined ? undefined : { resource: kind.toLowerCase(), isNamespaced };
      },
      preferredVersion: async (group) =>
        Object.keys(served)
          .find((name) => name.startsWith(`${group}/`))
          ?.split(' ')[0],
      exists: async (_place, identity) => stored.has(inventoryKey(identity)),
      read: async (_place, identity) => stored.get(inventoryKey(identity)),
      async apply(_place, identity, object) {
        const key = inventoryKey(identity);
        cluster.hook('apply', key);
        stored.set(key, object);
        cluster.done.push(`apply ${key}`);
        if (identity.kind === 'CustomResourceDefinition') define(object);
      },
      async write(_place, identity: ObjectIdentity, object) {
        const key = inventoryKey(identity);
        cluster.hook('write', key);
        const { resourceVersion } = object.metadata as { resourceVersion?: string };
        const current = (stored.get(key)?.metadata as { resourceVersion?: string } | undefined)
          ?.resourceVersion;
        if (resourceVersion !== current) throw new Fault('aborted', 'the object has been modified');
        version += 1;
        const written = {
          ...object,
          metadata: { ...(object.metadata as JsonObject), resourceVersion: String(version) },
        };
        stored.set(key, written);
        return written;
      },
      async remove(_place, identity) {
        const key = inventoryKey(identity);
        cluster.hook('remove', key);
        if (stored.delete(key)) cluster.done.push(`remove ${key}`);
      },
    },
  };
  const define = ({ spec }: JsonObject) => {
    const { group, names } = spec as { group: string; names: { kind: string } };
    served[`${group}/v1 ${names.kind}`] = true;
  };
  return cluster;
}
