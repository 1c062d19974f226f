import { faultFrom } from '@nodewright/fault';
import type { TrustRoot } from './trust-root.ts';

export interface AdoptRootsInit {
  /** Takes a root over, or throws and keeps the former one. */
  adopt(root: TrustRoot): void;
  onAdopted(): void;
  /** A root could not be adopted, or the roots ended with an error. The text holds no secret. */
  onFailed(problem: string): void;
}

/** Adopts each root that follows. One that cannot be adopted is reported, and the former stays in force. Never rejects. */
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
