import { monotonicMs } from '../monotonic.ts';
import { TokenBucket } from '../token-bucket.ts';
import { enhanceYourCalm } from './connection-error.ts';
import { floodLimits } from './flood-limits.ts';

const { burst, perSecond } = floodLimits.idleFrames;

/** Counts the frames of a peer that bring nothing against those that do. */
export class FloodMeter {
  /** Idle frames that are allowed without a look at the clock. */
  #allowed: number = burst;
  #refill: TokenBucket | undefined;

  /** @throws ConnectionError with ENHANCE_YOUR_CALM when the peer sends too many */
  idleFrame(): void {
    this.#allowed -= 1;
    if (this.#allowed >= 0) return;
    this.#allowed = 0;
    this.#refill ??= new TokenBucket({ burst: perSecond, perSecond });
    if (!this.#refill.take(monotonicMs())) throw enhanceYourCalm('too many frames without a purpose');
  }

  /** A frame with a body was sent or received, or a call began. */
  usefulFrame(): void {
    if (this.#allowed < burst) this.#allowed += floodLimits.idleFramesPerUsefulFrame;
  }
}
