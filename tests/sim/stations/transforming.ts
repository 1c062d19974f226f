import { transformController } from '@nodewright/controllers';
import { expectValues, type NumberKind, type NumberSpec, type Station, valuesOf } from '../station.ts';

const made = (value: number) => (value * 3 + 1) % 1000;

/** One output per input; with `holds`, each input is also a thing in the world until it is undone. */
export function transforming(name: string, input: NumberKind, output: NumberKind, holds: boolean): Station {
  const thing = (id: string) => `${name} ${id}`;
  return {
    text: `${name}: ${output.type} = f(${input.type})${holds ? ', holding' : ''}`,
    controllers: ({ world, work }) => [
      transformController<NumberSpec, NumberSpec>({
        name,
        input,
        output,
        transform: async ({ spec: { value }, metadata: { id } }) => {
          if (holds) {
            await work(`${name} sets up ${id}`);
            world.things.add(thing(id));
          }
          return { spec: { value: made(value) } };
        },
        ...(holds && {
          finalize: async ({ metadata: { id } }) => {
            await work(`${name} undoes ${id}`);
            world.things.delete(thing(id));
          },
        }),
      }),
    ],
    expect(expected) {
      const inputs = [...valuesOf(expected, input)];
      expectValues(
        expected,
        output,
        name,
        inputs.map(([id, value]) => [id, made(value)]),
      );
      if (!holds) return;
      expected.holders.getOrInsertComputed(input.type, () => []).push(name);
      for (const [id] of inputs) expected.things.add(thing(id));
    },
  };
}
