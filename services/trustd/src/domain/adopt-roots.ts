import { faultFrom } from '@nodewright/fault';
import type { TrustRoot } from './trust-root.ts';

export interface AdoptRootsInit {
  /** Adopts a root, or throws and keeps the last one. */
  adopt(root: TrustRoot): void;
  onAdopted(): void;
  /** A root could not be adopted, or the source of roots failed. The text contains no secret. */
  onFailed(problem: string): void;
}

/**
 * Adopts each root in turn. A root that cannot be adopted is reported, and the last one stays in force. Never
 * rejects.
 */
export async function adoptRoots(
  roots: AsyncIterable<TrustRoot>,
  { adopt, onAdopted, onFailed }: AdoptRootsInit,
): Promise<void> {
  try {
    for await (const root of roots) {
      try {
        adopt(root);
        onAdopted();
      } catch (error) {
        onFailed(faultFrom(error).message);
      }
    }
  } catch (error) {
    onFailed(faultFrom(error).message);
  }
}
