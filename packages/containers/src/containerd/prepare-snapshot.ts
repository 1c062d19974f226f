import type { PrepareSnapshotResponse } from '@nodewright/contract/gen/containerd/services/snapshots/v1/snapshots.ts';
import { faultFrom } from '@nodewright/fault';
import type { NamespaceServices } from './containerd-services.ts';

export interface PrepareRequest {
  readonly snapshotter: string;
  readonly key: string;
  readonly parent: string;
}

/**
 * Creates a writable snapshot. A containerd that was killed during a creation can leave a folder that is not
 * in its database. Then every attempt fails because the folder exists, so this function requests one clean-up
 * and retries.
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
