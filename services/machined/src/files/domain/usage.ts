/** What an addition of sizes shows. Source: Talos v1.14: DiskUsage. */
export interface UsageRequest {
  /** Files and not only folders. */
  readonly all: boolean;
  /** Above 0: hides what is this deep or deeper; the path asked for has depth 0. */
  readonly recursionDepth: number;
  /** Bytes: above 0 hides what is smaller, below 0 what is larger than its amount. */
  readonly threshold: bigint;
}

const maxSize = 2n ** 63n - 1n;

/** Bytes as the wire carries them. Sizes of sparse files may add up to more than there is a number for. */
export function wireSize(bytes: number): bigint {
  const size = BigInt(Math.trunc(bytes));
  return size > maxSize ? maxSize : size;
}

/** Whether an entry is shown. What is hidden counts all the same. The path that was asked for is shown as a file too. */
export function showsUsage(
  request: UsageRequest,
  { depth, isFolder, size }: { readonly depth: number; readonly isFolder: boolean; readonly size: bigint },
): boolean {
  if (!isFolder && !request.all && depth > 0) return false;
  if (request.recursionDepth > 0 && depth >= request.recursionDepth) return false;
  if (request.threshold > 0n) return size >= request.threshold;
  return request.threshold === 0n || size <= -request.threshold;
}
