import { type KindRef, type NewResource, pointerTo, type Resource } from '@nodewright/state';
import {
  type Controller,
  destroyReady,
  exclusive,
  type Input,
  type ReconcilePass,
  shared,
} from './controller.ts';

/** The desired output. */
export type TransformedOutput<O> = Pick<NewResource<O>, 'spec' | 'labels' | 'annotations'>;

/** Return value of `transform` that keeps an output as it is. */
export const leaveAsIs: unique symbol = Symbol('leave the output as it is');

export interface TransformControllerInit<I, O> {
  readonly name: string;
  readonly input: KindRef<I>;
  readonly output: KindRef<O>;
  /** Default `exclusive`. */
  readonly outputKind?: 'exclusive' | 'shared';
  /** Further inputs that it reads. */
  readonly extraInputs?: readonly Input[];
  /** The id of the output; undefined: no output for this input. Default: the id of the input. */
  readonly outputId?: (input: Resource<I>) => string | undefined;
  readonly transform: (
    input: Resource<I>,
    pass: ReconcilePass,
  ) => TransformedOutput<O> | typeof leaveAsIs | Promise<TransformedOutput<O> | typeof leaveAsIs>;
  /**
   * Undoes the effect of an input. With it the controller adds its finalizer to its inputs. An input that is
   * torn down is released when its output is gone and this function has succeeded.
   */
  readonly finalize?: (input: Resource<I>, pass: ReconcilePass) => Promise<void>;
}

/**
 * A controller that makes one output of every input. When the input is gone or being torn down, its output is
 * torn down, and destroyed once it has no finalizers. An input that fails does not stop the others: the pass
 * fails at its end. Source: Talos v1.14: COSI helpers, transform controller.
 */
export function transformController<I, O>(init: TransformControllerInit<I, O>): Controller {
  const { name, input, output, outputKind = 'exclusive', extraInputs = [], finalize } = init;
  const { namespace, type } = input;
  const primary: Input = { namespace, type, kind: finalize === undefined ? 'weak' : 'strong' };
  // If input and output have the same kind, the input also reports changes of the outputs.
  const isOneKind = output.type === type && output.namespace === namespace;
  return {
    name,
    inputs: [primary, ...(isOneKind ? [] : [destroyReady(output)]), ...extraInputs],
    outputs: [outputKind === 'exclusive' ? exclusive(output) : shared(output)],
    reconcile: (pass) => new Transformation(init, pass).run(),
  };
}

class Transformation<I, O> {
  readonly #init: TransformControllerInit<I, O>;
  readonly #pass: ReconcilePass;
  readonly #failures: unknown[] = [];

  constructor(init: TransformControllerInit<I, O>, pass: ReconcilePass) {
    this.#init = init;
    this.#pass = pass;
  }

  async run(): Promise<void> {
    const { name, input, output, outputId = ({ metadata }: Resource<I>) => metadata.id } = this.#init;
    const outputs = new Map(
      (await this.#pass.list(output))
        .filter(({ metadata }) => metadata.owner === name)
        .map((resource) => [resource.metadata.id, resource]),
    );
    const gone: { readonly resource: Resource<I>; readonly id: string | undefined }[] = [];
    const wanted = new Set<string>();
    for (const resource of await this.#pass.list(input)) {
      const id = outputId(resource);
      if (resource.metadata.phase === 'tearingDown') gone.push({ resource, id });
      else if (id !== undefined) {
        wanted.add(id);
        await this.#attempt(() => this.#make(resource, id, outputs.get(id)));
      }
    }
    const held = new Set<string>();
    for (const id of outputs.keys()) {
      if (wanted.has(id)) continue;
      held.add(id);
      await this.#attempt(async () => {
        if (await this.#remove(id)) held.delete(id);
      });
    }
    for (const { resource, id } of gone) {
      if (id === undefined || !held.has(id)) await this.#attempt(() => this.#letGo(resource));
    }
    if (this.#failures.length === 1) throw this.#failures[0];
    if (this.#failures.length > 1)
      throw new AggregateError(this.#failures, this.#failures.map(messageOf).join('; '));
  }

  async #make(input: Resource<I>, id: string, stored: Resource<O> | undefined): Promise<void> {
    const { name, output, transform, finalize, input: inputKind } = this.#init;
    // An output that is being torn down never returns to running: it is destroyed first, then a new one is
    // created.
    if (stored?.metadata.phase === 'tearingDown' && !(await this.#remove(id))) return;
    if (finalize !== undefined && !input.metadata.finalizers.includes(name)) {
      await this.#pass.hold(pointerTo(inputKind, input.metadata.id));
    }
    const made = await transform(input, this.#pass);
    if (made !== leaveAsIs) await this.#pass.put({ ...made, ...pointerTo(output, id) });
  }

  /** True when it no longer exists. */
  async #remove(id: string): Promise<boolean> {
    const pointer = pointerTo(this.#init.output, id);
    if (!(await this.#pass.teardown(pointer))) return false;
    await this.#pass.destroy(pointer);
    return true;
  }

  async #letGo(input: Resource<I>): Promise<void> {
    const { name, finalize, input: inputKind } = this.#init;
    if (finalize === undefined || !input.metadata.finalizers.includes(name)) return;
    await finalize(input, this.#pass);
    await this.#pass.release(pointerTo(inputKind, input.metadata.id));
  }

  async #attempt(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      // A pass that was aborted must not continue.
      if (this.#pass.signal.aborted) throw error;
      this.#failures.push(error);
    }
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
