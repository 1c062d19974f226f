import { type Controller, exclusive, type Input, shared } from '@nodewright/controllers';
import type { NewResource, ResourceKind } from '@nodewright/state';

export interface FixedControllerInit<S> {
  readonly name: string;
  readonly output: ResourceKind<S>;
  readonly outputKind?: 'exclusive' | 'shared';
  /** Default: no inputs. */
  readonly inputs?: readonly Input[];
  /** The resources to write. Called at the start and after each change of the inputs. */
  readonly wanted: () => readonly Pick<NewResource<S>, 'id' | 'spec'>[];
}

/** A controller that writes facts about the machine that are known when machined starts. */
export function fixedController<S>(init: FixedControllerInit<S>): Controller {
  const { name, inputs = [], output, outputKind = 'exclusive', wanted } = init;
  return {
    name,
    inputs,
    outputs: [outputKind === 'exclusive' ? exclusive(output) : shared(output)],
    reconcile: (pass) => pass.replace(output, wanted()),
  };
}
