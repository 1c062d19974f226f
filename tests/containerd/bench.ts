import { join } from 'node:path';
import type { ContainerRuntime, ImageInfo, ImageStore, RuntimeNamespace } from '@nodewright/containers';
import {
  type NamespaceServices,
  openContainerdRuntime,
  openContainerdServices,
} from '@nodewright/containers/containerd';
import {
  layoutArchive,
  makeTestImage,
  type TestImage,
  type TestImageInit,
} from '@nodewright/containers/testing';
import { noTelemetry } from '@nodewright/telemetry';
import { ensureBusybox } from '../../tools/engine/ensure-busybox.ts';
import { startContainerd, type TestContainerd } from './start-containerd.ts';

export interface Bench extends AsyncDisposable {
  readonly containerd: TestContainerd;
  readonly runtime: ContainerRuntime;
  readonly system: RuntimeNamespace;
  /** A client of containerd itself, in the namespace `system`. */
  readonly services: NamespaceServices;
}

/** A containerd, and a runtime that uses it. */
export async function openBench(): Promise<Bench> {
  await using undo = new AsyncDisposableStack();
  const containerd = undo.use(await startContainerd());
  const runtime = undo.use(openRuntime(containerd));
  const connection = undo.use(openContainerdServices(containerd.socketPath, noTelemetry));
  const stack = undo.move();
  return {
    containerd,
    runtime,
    system: runtime.namespace('system'),
    services: connection.namespace('system'),
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

export function openRuntime(
  { socketPath, logFolder, runcRoot, cgroupRoot }: TestContainerd,
  telemetry = noTelemetry,
) {
  return openContainerdRuntime({ socketPath, logFolder, runcRoot, cgroupRoot, telemetry });
}

export const imageWith = (init: Omit<TestImageInit, 'busybox'> = {}): Promise<TestImage> =>
  makeTestImage({ busybox: ensureBusybox(join(import.meta.dirname, '..', '..')), ...init });

/** Imports a test image from an archive, under this name. */
export async function importImage(images: ImageStore, name: string): Promise<void> {
  const archive = await layoutArchive(await imageWith(), name);
  await images.import(
    (async function* () {
      yield archive;
    })(),
  );
}

export async function pull(namespace: RuntimeNamespace, reference: string): Promise<ImageInfo> {
  let image: ImageInfo | undefined;
  for await (const step of namespace.images.pull(reference)) if (step.kind === 'done') image = step.image;
  if (image === undefined) throw new Error('the pull ended without an image');
  return image;
}

/** Everything that containerd keeps for the namespace, by type. */
export async function keptBy({ content, snapshots, leases, images }: NamespaceServices) {
  const digests: string[] = [];
  for await (const { info } of content.list({})) digests.push(...info.map(({ digest }) => digest));
  const keys: string[] = [];
  for await (const { info } of snapshots.list({ snapshotter: 'overlayfs' }))
    keys.push(...info.map(({ name }) => name));
  return {
    content: digests.sort(),
    writes: (await content.listStatuses({})).statuses.map(({ ref }) => ref),
    snapshots: keys.sort(),
    leases: (await leases.list({})).leases.map(({ id }) => id),
    images: (await images.list({})).images.map(({ name }) => name),
  };
}
