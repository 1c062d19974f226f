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
 * in its database. The next creation gets the same number, fails because the folder exists, and removes the
 * folder. So a second attempt succeeds. Source: containerd: overlayfs snapshotter, `createSnapshot`.
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
    return snapshots.prepare(request, { signal });
  }
}
