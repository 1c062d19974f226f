import { destroyReady, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { expectValues, type NumberKind, newNumber, type Station, valuesOf } from '../station.ts';

const id = 'total';

/** One output for all inputs together, none without inputs; written without replace(). */
export function totalling(name: string, input: NumberKind, output: NumberKind): Station {
  return {
    text: `${name}: ${output.type}/${id} = total(${input.type})`,
    controllers: () => [
      {
        name,
        inputs: [weak(input), destroyReady(output)],
        outputs: [exclusive(output)],
        async reconcile(pass) {
          const all = (await pass.list(input)).filter(({ metadata }) => metadata.phase === 'running');
          const pointer = pointerTo(output, id);
          const stored = await pass.get(pointer);
          if (stored !== undefined && (all.length === 0 || stored.metadata.phase === 'tearingDown')) {
            if (!(await pass.teardown(pointer))) return;
            await pass.destroy(pointer);
          }
          const total = all.reduce((sum, { spec }) => sum + spec.value, 0);
          if (all.length > 0) await pass.put(newNumber(output, id, total));
        },
      },
    ],
    expect(expected) {
      const inputs = [...valuesOf(expected, input).values()];
      const total = inputs.reduce((sum, value) => sum + value, 0);
      expectValues(expected, output, name, inputs.length > 0 ? [[id, total]] : []);
    },
  };
}
