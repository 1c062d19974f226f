import type { PrepareSnapshotResponse } from '@nodewright/contract/gen/containerd/services/snapshots/v1/snapshots.ts';
import { faultFrom } from '@nodewright/fault';
import type { NamespaceServices } from './containerd-services.ts';

export interface PrepareRequest {
  readonly snapshotter: string;
  readonly key: string;
  readonly parent: string;
}

/**
 * Makes a snapshot to write to. A containerd that was killed while it made one may have left a folder that is not in its
 * database, and then every attempt fails because the folder exists: containerd is asked to clean up, once.
 */
export async function prepareSnapshot(
  snapshots: NamespaceServices['snapshots'],
  request: PrepareRequest,
  signal?: AbortSignal,
): Promise<PrepareSnapshotResponse> {
  try {
    return await snapshots.prepare(request, { signal });
  } catch (error) {
    const { kind, message } = faultFrom(error);
    if (kind === 'already-exists' || !/file exists/.test(message)) throw error;
    await snapshots.cleanup({ snapshotter: request.snapshotter }, { signal });
    return snapshots.prepare(request, { signal });
  }
}
