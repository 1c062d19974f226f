/**
 * A machine that starts announces hundreds of devices, one after the other. A pause after each look at the devices leaves the
 * processor to those who work on them; what is announced meanwhile takes one look together.
 */
const restFactor = 4;
const usualLongestMs = 2000;
/** Without an event for so long, the next ones are of a single device, such as a disk that somebody plugs in. */
const quietMs = 5000;
/** Events of a single device come in fewer groups: of its bus, of itself and its partitions, each once more from udevd. */
const looksWithoutRest = 6;

export interface Look {
  /** How long no event came before it, in ms. */
  readonly waitedMs: number;
  /** How long it took, in ms. */
  readonly tookMs: number;
}

/** Decides how long to wait after a look at the devices, before the events that came meanwhile are looked at. */
export class LookRest {
  readonly #longestMs: number;
  /** The machine starts when the devices are looked at first. */
  #looks = looksWithoutRest;

  /** @param longestMs of a pause; default 2 s */
  constructor(longestMs = usualLongestMs) {
    this.#longestMs = longestMs;
  }

  /** The pause after this look, in ms. */
  after({ waitedMs, tookMs }: Look): number {
    if (waitedMs >= quietMs) this.#looks = 0;
    this.#looks += 1;
    return this.#looks <= looksWithoutRest ? 0 : Math.min(restFactor * tookMs, this.#longestMs);
  }
}
