import { destroyReady, exclusive, strong } from '@nodewright/controllers';
import { expectValues, type NumberKind, newNumber, type Station, valuesOf } from '../station.ts';

/**
 * The finalizer protocol as used for mounts and links: add a finalizer, set up; when the resource is torn
 * down, undo, remove the finalizer. Source: Talos v1.14: COSI typical finalizer protocol.
 */
export function holding(name: string, input: NumberKind, output: NumberKind): Station {
  const thing = (id: string) => `${name} ${id}`;
  return {
    text: `${name}: holds ${input.type}, ${output.type} = what stands`,
    controllers: ({ world, work }) => [
      {
        name,
        inputs: [strong(input), destroyReady(output)],
        outputs: [exclusive(output)],
        async reconcile(pass) {
          const standing: string[] = [];
          for (const { metadata } of await pass.list(input)) {
            const { id, phase, finalizers } = metadata;
            if (phase === 'running') {
              await pass.hold(metadata);
              await work(`${name} sets up ${id}`);
              world.things.add(thing(id));
              standing.push(id);
            } else if (finalizers.includes(name)) {
              await work(`${name} undoes ${id}`);
              world.things.delete(thing(id));
              await pass.release(metadata);
            }
          }
          await pass.replace(
            output,
            standing.map((id) => newNumber(output, id, 1)),
          );
        },
      },
    ],
    expect(expected) {
      const ids = [...valuesOf(expected, input).keys()];
      expected.holders.getOrInsertComputed(input.type, () => []).push(name);
      for (const id of ids) expected.things.add(thing(id));
      expectValues(
        expected,
        output,
        name,
        ids.map((id) => [id, 1]),
      );
    },
  };
}
