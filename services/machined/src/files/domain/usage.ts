/** Which entries the response lists. Source: Talos v1.14: DiskUsage. */
export interface UsageRequest {
  /** Whether files are listed, not only folders. */
  readonly all: boolean;
  /** If above 0, entries at this depth or deeper are hidden; the requested path has depth 0. */
  readonly recursionDepth: number;
  /** In bytes. If above 0, smaller entries are hidden; if below 0, entries that are larger than its absolute value. */
  readonly threshold: bigint;
}

const maxSize = 2n ** 63n - 1n;

/**
 * Converts a size in bytes to its wire type. The sum of sparse files may exceed the largest number, which is
 * then returned.
 */
export function wireSize(bytes: number): bigint {
  const size = BigInt(Math.trunc(bytes));
  return size > maxSize ? maxSize : size;
}

/**
 * Whether an entry is listed. Hidden entries still count in the sums. The requested path is listed even if it
 * is a file.
 */
export function showsUsage(
  request: UsageRequest,
  { depth, isFolder, size }: { readonly depth: number; readonly isFolder: boolean; readonly size: bigint },
): boolean {
  if (!isFolder && !request.all && depth > 0) return false;
  if (request.recursionDepth > 0 && depth >= request.recursionDepth) return false;
  if (request.threshold > 0n) return size >= request.threshold;
  return request.threshold === 0n || size <= -request.threshold;
}
