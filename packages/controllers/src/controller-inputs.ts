import { isDeepStrictEqual } from 'node:util';
import type { Input } from './controller.ts';
import { checkInputs } from './declarations.ts';
import type { Sleeper } from './kind-watch.ts';
import type { KindWatches } from './kind-watches.ts';

export interface ControllerInputsInit {
  /** The name of the controller. */
  readonly name: string;
  readonly inputs: readonly Input[];
  readonly watches: KindWatches;
  readonly sleeper: Sleeper;
}

/** The inputs of a controller, which may change while it runs. */
export class ControllerInputs {
  readonly #init: ControllerInputsInit;
  #inputs: readonly Input[];
  #isWatching = false;

  constructor(init: ControllerInputsInit) {
    this.#init = init;
    this.#inputs = [...init.inputs];
  }

  get current(): readonly Input[] {
    return this.#inputs;
  }

  /** Resolves when changes of all inputs are watched. */
  async watch(): Promise<void> {
    const { watches, sleeper } = this.#init;
    this.#isWatching = true;
    await Promise.all(this.#inputs.map((input) => watches.add(sleeper, input)));
  }

  /**
   * Replaces the inputs. A new input wakes the controller as soon as its watch is open, so that no earlier
   * change is lost.
   *
   * @throws Fault `invalid-argument`
   */
  replace(inputs: readonly Input[]): void {
    const { name, watches, sleeper } = this.#init;
    checkInputs(name, inputs);
    const before = this.#inputs;
    this.#inputs = [...inputs];
    if (!this.#isWatching) return;
    // New inputs first, so that a kind that stays an input keeps its watch.
    const isIn = (list: readonly Input[], input: Input) => list.some((one) => isDeepStrictEqual(one, input));
    const gone = before.filter((input) => !isIn(inputs, input));
    const sameTarget = (input: Input) =>
      inputs.some(
        ({ namespace, type, id }) => namespace === input.namespace && type === input.type && id === input.id,
      );
    for (const input of inputs) if (!isIn(before, input)) void watches.add(sleeper, input);
    for (const input of gone) if (!sameTarget(input)) watches.remove(sleeper, input);
  }
}
