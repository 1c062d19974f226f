// Users that write to the store and to the world while controllers run.
import { pointerTo, type State, teardownAndDestroy, updateResource } from '@nodewright/state';
import type { SeededRandom } from '../fuzz/seeded-random.ts';
import { ids, registers } from './random-graph.ts';
import { type NumberKind, newNumber } from './station.ts';
import type { World } from './world.ts';

export type UserStep =
  | {
      readonly do: 'create' | 'change';
      readonly kind: NumberKind;
      readonly id: string;
      readonly value: number;
    }
  | { readonly do: 'remove'; readonly kind: NumberKind; readonly id: string }
  | { readonly do: 'turn'; readonly register: string; readonly value: number }
  | { readonly do: 'wait'; readonly ms: number };

/** The steps of every user in order. No two users write the same resource, so the final values are known. */
export interface Scripts {
  readonly ofUser: readonly (readonly UserStep[])[];
  /** The final values: by type and id, and of the registers. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly registers: ReadonlyMap<string, number>;
}

export function randomScripts(random: SeededRandom, bases: readonly NumberKind[]): Scripts {
  const values = new Map(bases.map(({ type }) => [type, new Map<string, number>()]));
  const turned = new Map<string, number>();
  const count = 1 + random.below(registers.length);
  const ofUser = Array.from({ length: count }, (_, user) => {
    const own = ids.filter((_, at) => at % count === user);
    return Array.from({ length: 2 + random.below(8) }, (): UserStep => {
      const what = random.below(10);
      if (what === 0) return { do: 'wait', ms: random.below(3000) };
      if (what === 1) {
        const register = registers[user] as string;
        const value = random.below(3);
        turned.set(register, value);
        return { do: 'turn', register, value };
      }
      const [kind, id] = [random.pick(bases), random.pick(own)];
      const ofKind = values.get(kind.type) as Map<string, number>;
      const isThere = ofKind.has(id);
      if (isThere && what < 6) {
        ofKind.delete(id);
        return { do: 'remove', kind, id };
      }
      const value = 1 + random.below(100);
      ofKind.set(id, value);
      return { do: isThere ? 'change' : 'create', kind, id, value };
    });
  });
  return { ofUser, values, registers: turned };
}

export interface UserInit {
  readonly state: State;
  readonly world: World;
  readonly wait: (ms: number) => Promise<void>;
}

export async function runUser(steps: readonly UserStep[], { state, world, wait }: UserInit): Promise<void> {
  for (const step of steps) {
    if (step.do === 'wait') await wait(step.ms);
    else if (step.do === 'turn') world.write(step.register, step.value);
    else if (step.do === 'create') await state.create(newNumber(step.kind, step.id, step.value));
    else if (step.do === 'change') {
      const { value } = step;
      await updateResource(state, pointerTo(step.kind, step.id), () => ({ spec: { value } }));
    } else await teardownAndDestroy(state, pointerTo(step.kind, step.id));
  }
}

export function stepText(step: UserStep): string {
  if (step.do === 'wait') return `wait ${step.ms} ms`;
  if (step.do === 'turn') return `turn ${step.register} to ${step.value}`;
  const target = `${step.do} ${step.kind.type}/${step.id}`;
  return step.do === 'remove' ? target : `${target} = ${step.value}`;
}
