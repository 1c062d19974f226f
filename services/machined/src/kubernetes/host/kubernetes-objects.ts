import { Deadline } from '@nodewright/async';
import type { KubernetesAnswer, KubernetesApi, KubernetesRequest } from '@nodewright/client/kubeconfig';
import { answeredObject } from '@nodewright/client/kubernetes-answer';
import { Fault } from '@nodewright/fault';
import type { JsonObject } from '@nodewright/state';
import type { KindPlace, ObjectIdentity } from '../domain/manifests/object-identity.ts';

/** Objects of a cluster, through its API server. */
export interface KubernetesObjects {
  /** Resolves when the API server is ready. @throws Fault `unavailable` */
  assertReady(): Promise<void>;
  /** How the API server serves a kind; `undefined` when it does not know it. The answer is remembered unless it is that. */
  placeOf(apiVersion: string, kind: string): Promise<KindPlace | undefined>;
  /** The version of a group that clients should use; `undefined` when the API server does not know the group. */
  preferredVersion(group: string): Promise<string | undefined>;
  exists(place: KindPlace, identity: ObjectIdentity): Promise<boolean>;
  read(place: KindPlace, identity: ObjectIdentity): Promise<JsonObject | undefined>;
  /** Creates the object, or changes the fields that it names. Source: Kubernetes: server-side apply. */
  apply(place: KindPlace, identity: ObjectIdentity, object: JsonObject): Promise<void>;
  /** Creates or replaces an object, only if nobody has changed it since the given version was read. */
  write(place: KindPlace, identity: ObjectIdentity, object: JsonObject): Promise<JsonObject>;
  /** Does nothing when there is no such object. */
  remove(place: KindPlace, identity: ObjectIdentity): Promise<void>;
}

/**
 * The owner of the fields that a control plane sets. Source: Talos v1.14: bootstrap manifests, field manager.
 */
const fieldManager = 'talos';

/** The API server waits for webhooks up to 30 s. Source: Kubernetes: admission webhooks. */
export const requestTimeoutMs = 35_000;

/**
 * Every failure is a Fault: `unavailable` when the API server does not answer at all, otherwise one that repeats what it
 * answered, or `deadline-exceeded`.
 */
export function openKubernetesObjects(
  api: Pick<KubernetesApi, 'send'>,
  signal: AbortSignal,
  timeoutMs = requestTimeoutMs,
): KubernetesObjects {
  const known = new Map<string, Map<string, KindPlace>>();
  const send = async (request: Omit<KubernetesRequest, 'signal'>): Promise<KubernetesAnswer> => {
    using deadline = new Deadline(timeoutMs, signal);
    try {
      return await api.send({ ...request, signal: deadline.signal });
    } catch (error) {
      if (!deadline.isOver || signal.aborted) throw error;
      throw new Fault('deadline-exceeded', `the API server did not answer within ${timeoutMs / 1000} s`);
    }
  };
  const kindsOf = async (apiVersion: string) => {
    const found = known.get(apiVersion);
    if (found !== undefined) return found;
    const answer = await send({ method: 'GET', path: versionPath(apiVersion) });
    if (answer.status === 404) return new Map<string, KindPlace>();
    const kinds = kindsFrom(answeredObject(answer, 200));
    known.set(apiVersion, kinds);
    return kinds;
  };
  const read = async (place: KindPlace, identity: ObjectIdentity, accept?: string) => {
    const path = objectPath(place, identity);
    const answer = await send({ method: 'GET', path, ...(accept && { accept }) });
    return answer.status === 404 ? undefined : answeredObject(answer, 200);
  };
  return {
    async assertReady() {
      const { status } = await send({ method: 'GET', path: '/readyz' });
      if (status !== 200) throw new Fault('unavailable', `the API server is not ready: HTTP ${status}`);
    },
    async placeOf(apiVersion, kind) {
      const found = (await kindsOf(apiVersion)).get(kind);
      // A definition of this kind may be on its way.
      if (found === undefined) known.delete(apiVersion);
      return found;
    },
    async preferredVersion(group) {
      if (group === '') return 'v1';
      const answer = await send({ method: 'GET', path: `/apis/${encodeURIComponent(group)}` });
      if (answer.status === 404) return undefined;
      const { preferredVersion } = answeredObject(answer, 200) as {
        preferredVersion?: { groupVersion?: string };
      };
      return preferredVersion?.groupVersion;
    },
    exists: async (place, identity) => (await read(place, identity, metadataOnly)) !== undefined,
    read,
    async apply(place, identity, object) {
      const metadata = object.metadata as JsonObject;
      const { namespace } = identity;
      const body = namespace === '' ? object : { ...object, metadata: { ...metadata, namespace } };
      const answer = await send({
        method: 'PATCH',
        path: `${objectPath(place, identity)}?fieldManager=${fieldManager}`,
        // JSON is YAML, too.
        contentType: 'application/apply-patch+yaml',
        body: JSON.stringify(body),
      });
      answeredObject(answer, 200, 201);
    },
    async write(place, identity, object) {
      const isNew = (object.metadata as JsonObject).resourceVersion === undefined;
      const path = isNew ? collectionPath(place, identity) : objectPath(place, identity);
      const answer = await send({
        method: isNew ? 'POST' : 'PUT',
        path: `${path}?fieldManager=${fieldManager}`,
        body: JSON.stringify(object),
      });
      return answeredObject(answer, 200, 201);
    },
    async remove(place, identity) {
      const path = `${objectPath(place, identity)}?propagationPolicy=Background`;
      const answer = await send({ method: 'DELETE', path });
      if (answer.status !== 404) answeredObject(answer, 200, 202);
    },
  };
}

/** Source: Kubernetes: API concepts, resources as metadata. */
const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** The path of a version of the API. Source: Kubernetes: API concepts, resource URIs. */
function versionPath(apiVersion: string): string {
  const parts = apiVersion.split('/').map(encodeURIComponent);
  return parts.length === 1 ? `/api/${parts[0]}` : `/apis/${parts.join('/')}`;
}

function collectionPath({ resource, isNamespaced }: KindPlace, { apiVersion, namespace }: ObjectIdentity) {
  const within = isNamespaced ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${versionPath(apiVersion)}${within}/${resource}`;
}

function objectPath(place: KindPlace, identity: ObjectIdentity): string {
  return `${collectionPath(place, identity)}/${encodeURIComponent(identity.name)}`;
}

interface ServedKind {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Names with a slash are parts of objects, such as their status. */
function kindsFrom(list: JsonObject): Map<string, KindPlace> {
  const served = (list.resources ?? []) as unknown as readonly ServedKind[];
  return new Map(
    served
      .filter(({ name }) => !name.includes('/'))
      .map(({ name, kind, namespaced }) => [kind, { resource: name, isNamespaced: namespaced }]),
  );
}

/** Whether a failure concerns the whole API server, not one object. */
export const isOfServer = (fault: Fault) => fault.kind === 'unavailable' || fault.kind === 'cancelled';
