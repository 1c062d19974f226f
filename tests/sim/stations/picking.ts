import { destroyReady, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { expectValues, type NumberKind, newNumber, type Station, valuesOf } from '../station.ts';

/** Copies one input, which is the only resource that wakes it. */
export function picking(name: string, input: NumberKind, id: string, output: NumberKind): Station {
  return {
    text: `${name}: ${output.type}/${id} = ${input.type}/${id}`,
    controllers: () => [
      {
        name,
        inputs: [weak(input, id), destroyReady(output)],
        outputs: [exclusive(output)],
        async reconcile(pass) {
          const picked = await pass.get(pointerTo(input, id));
          const isThere = picked?.metadata.phase === 'running';
          await pass.replace(output, isThere ? [newNumber(output, id, picked.spec.value)] : []);
        },
      },
    ],
    expect(expected) {
      const value = valuesOf(expected, input).get(id);
      expectValues(expected, output, name, value === undefined ? [] : [[id, value]]);
    },
  };
}
