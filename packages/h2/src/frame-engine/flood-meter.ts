import { monotonicMs } from '../monotonic.ts';
import { enhanceYourCalm } from './connection-error.ts';
import { floodLimits } from './flood-limits.ts';

const { burst, perSecond } = floodLimits.idleFrames;
const msPerFrame = 1000 / perSecond;

/** The bodies that this end has sent: a peer must send windows in answer, and may send probes. */
export interface SentBodies {
  /** How many idle frames the bodies that were sent since the last call allow. */
  takeAllowed(): number;
}

/** Counts the frames of a peer that bring nothing against those that do, against what is sent to it, and against time. */
export class FloodMeter {
  readonly #sent: SentBodies;
  readonly #now: () => number;
  /** Idle frames that are allowed without a look at the clock. */
  #allowed: number = burst;
  /** The time before this moment has been counted. */
  #countedUntilMs: number;

  /** @param now monotonic, in milliseconds. Default: the clock of the host */
  constructor(sent: SentBodies, now = monotonicMs) {
    this.#sent = sent;
    this.#now = now;
    this.#countedUntilMs = now();
  }

  /** @throws ConnectionError with ENHANCE_YOUR_CALM when the peer sends too many */
  idleFrame(): void {
    this.#allowed = Math.min(burst, this.#allowed + this.#sent.takeAllowed()) - 1;
    if (this.#allowed >= 0) return;
    this.#countTime();
    if (this.#allowed < 0) throw enhanceYourCalm('too many frames without a purpose');
  }

  /** A frame with a body was received, or a call began. */
  usefulFrame(): void {
    if (this.#allowed < burst) this.#allowed += floodLimits.idleFramesPerUsefulFrame;
  }

  /** Allows the frames of the time since the last call: the clock is read only when nothing else is left. */
  #countTime(): void {
    const nowMs = this.#now();
    const frames = Math.floor((nowMs - this.#countedUntilMs) / msPerFrame);
    // What is above the burst is lost.
    this.#countedUntilMs = frames > burst ? nowMs : this.#countedUntilMs + frames * msPerFrame;
    this.#allowed = Math.min(burst, this.#allowed + frames);
  }
}
