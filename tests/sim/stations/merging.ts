import { destroyReady, exclusive, weak } from '@nodewright/controllers';
import { expectValues, type NumberKind, newNumber, type Station, valuesOf } from '../station.ts';

const sumById = (maps: readonly ReadonlyMap<string, number>[]) => {
  const sums = new Map<string, number>();
  for (const map of maps)
    for (const [id, value] of map) sums.set(id, ((sums.get(id) ?? 0) * 7 + value) % 1000);
  return sums;
};

/** Merges all inputs with the same id into one output. */
export function merging(name: string, inputs: readonly NumberKind[], output: NumberKind): Station {
  return {
    text: `${name}: ${output.type} = merge(${inputs.map(({ type }) => type).join(', ')})`,
    controllers: () => [
      {
        name,
        inputs: [...inputs.map((input) => weak(input)), destroyReady(output)],
        outputs: [exclusive(output)],
        async reconcile(pass) {
          const maps: Map<string, number>[] = [];
          for (const input of inputs) {
            const running = (await pass.list(input)).filter(({ metadata }) => metadata.phase === 'running');
            maps.push(new Map(running.map(({ metadata, spec }) => [metadata.id, spec.value])));
          }
          await pass.replace(
            output,
            [...sumById(maps)].map(([id, value]) => newNumber(output, id, value)),
          );
        },
      },
    ],
    expect(expected) {
      expectValues(expected, output, name, sumById(inputs.map((input) => valuesOf(expected, input))));
    },
  };
}
