import { randomUUID } from 'node:crypto';
import { Options } from '@nodewright/containers/containerd-contract';
import type { Container } from '@nodewright/contract/gen/containerd/services/containers/v1/containers.ts';
import type { Image } from '@nodewright/contract/gen/containerd/services/images/v1/images.ts';
import type { Any } from '@nodewright/contract/gen/google/protobuf/any.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import { lowestOomScore } from '@nodewright/linux';
import { formatImageReference, parseImageReference } from '@nodewright/oci';
import type { CallOptions, ContainerSpec } from '../container-runtime.ts';
import { generateSpec } from '../spec/generate-spec.ts';
import type { ContainerdContext } from './containerd-context.ts';
import type { NamespaceServices } from './containerd-services.ts';
import { readStoredImage } from './image-content.ts';
import { endLease, ensureLease } from './leases.ts';
import { type PrepareRequest, prepareSnapshot } from './prepare-snapshot.ts';
import { exitExtension, exitExtensionFrom } from './task-exit.ts';
import { unpackImage } from './unpack-image.ts';

export interface CreateContainerInit {
  readonly context: ContainerdContext;
  readonly spec: ContainerSpec;
  readonly cgroupPath: string;
  readonly runtimeOptions: Any;
}

/** Source: containerd, runtime v2; the type URL of a specification. */
const runtimeName = 'io.containerd.runc.v2';
const specType = 'types.containerd.io/opencontainers/runtime-spec/1/Spec';

/** Options for runc, in a container and in a task; the defaults of runc and of containerd for what is undefined. */
export function runcOptions(root: string | undefined, shimCgroup: string | undefined): Any {
  const value = Options.encode(
    Options.fromPartial({ root: root ?? '', shimCgroup: shimCgroup ?? '' }),
  ).finish();
  return { typeUrl: 'containerd.runc.v1.Options', value: Buffer.from(value) };
}

/** Creates a container with its own writable layer on top of its image. */
export async function createContainer(
  { context, spec, cgroupPath, runtimeOptions }: CreateContainerInit,
  { signal }: CallOptions,
): Promise<Container> {
  const { connection, namespace, platform, snapshotter, nowMs } = context;
  const { id } = spec;
  const lease = `nodewright-create-${randomUUID()}`;
  await ensureLease(context.services.leases, lease, nowMs(), signal);
  try {
    const services = connection.namespace(namespace, lease);
    const image = formatImageReference(parseImageReference(spec.image));
    const target = await imageTarget(services, image, signal);
    const stored = await readStoredImage(services.content, target, platform, signal);
    const runtimeSpec = generateSpec({
      spec,
      image: stored.config.process,
      cgroupPath,
      lowestOomScore: lowestOomScore(),
    });
    const parent = await unpackImage({ services, snapshotter, lease, image: stored, signal });
    await requireFree(services, id, signal);
    await prepareAnew(services, { snapshotter, key: id, parent }, signal);
    try {
      const { container } = await services.containers.create(
        {
          container: {
            id,
            image,
            labels: spec.labels ?? {},
            runtime: { name: runtimeName, options: runtimeOptions },
            spec: { typeUrl: specType, value: Buffer.from(JSON.stringify(runtimeSpec)) },
            snapshotter,
            snapshotKey: id,
            extensions: { [exitExtension]: exitExtensionFrom(undefined) },
          },
        },
        { signal },
      );
      return container as Container;
    } catch (error) {
      if (faultFrom(error).kind !== 'already-exists')
        await services.snapshots.remove({ snapshotter, key: id }).catch(() => undefined);
      throw error;
    }
  } finally {
    await endLease(context.services.leases, lease).catch(() => undefined);
  }
}

async function imageTarget(services: NamespaceServices, name: string, signal?: AbortSignal) {
  const { image } = await services.images.get({ name }, { signal });
  const { target } = image as Image;
  return {
    mediaType: target?.mediaType ?? '',
    digest: target?.digest ?? '',
    size: Number(target?.size ?? 0n),
  };
}

/** Checked before its snapshot is changed, because the snapshot may belong to an existing container. */
async function requireFree(
  { containers }: NamespaceServices,
  id: string,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await containers.get({ id }, { signal });
  } catch (error) {
    if (faultFrom(error).kind === 'not-found') return;
    throw error;
  }
  throw new Fault('already-exists', `there is a container "${id}" already`);
}

/** A snapshot without a container is left over from an interrupted creation. */
async function prepareAnew(
  { snapshots }: NamespaceServices,
  request: PrepareRequest,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await prepareSnapshot(snapshots, request, signal);
  } catch (error) {
    if (faultFrom(error).kind !== 'already-exists') throw error;
    await snapshots.remove({ snapshotter: request.snapshotter, key: request.key }, { signal });
    await prepareSnapshot(snapshots, request, signal);
  }
}
