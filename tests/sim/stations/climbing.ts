import { exclusive, weak } from '@nodewright/controllers';
import { expectValues, type NumberKind, newNumber, type Station, valuesOf } from '../station.ts';

const heightOf = (value: number) => value % 5;

/** Moves towards its input by one with every pass, so that its own writes wake it. */
export function climbing(name: string, input: NumberKind, output: NumberKind): Station {
  return {
    text: `${name}: ${output.type} climbs towards ${input.type}`,
    controllers: () => [
      {
        name,
        inputs: [weak(input), weak(output)],
        outputs: [exclusive(output)],
        async reconcile(pass) {
          const running = (await pass.list(input)).filter(({ metadata }) => metadata.phase === 'running');
          const reached = new Map(
            (await pass.list(output))
              .filter(({ metadata }) => metadata.phase === 'running')
              .map(({ metadata, spec }) => [metadata.id, spec.value]),
          );
          const next = running.map(({ metadata: { id }, spec }) => {
            const height = reached.get(id);
            const step = height === undefined ? 0 : height + Math.sign(heightOf(spec.value) - height);
            return newNumber(output, id, step);
          });
          await pass.replace(output, next);
        },
      },
    ],
    expect(expected) {
      const inputs = [...valuesOf(expected, input)];
      expectValues(
        expected,
        output,
        name,
        inputs.map(([id, value]) => [id, heightOf(value)]),
      );
    },
  };
}
