import { destroyReady, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { expectValues, type NumberKind, newNumber, type Station, valuesOf } from '../station.ts';

/** Reads its input only while a gate resource exists, so it changes its inputs while it runs. */
export function gating(
  name: string,
  gate: NumberKind,
  gateId: string,
  input: NumberKind,
  output: NumberKind,
): Station {
  const closed = [weak(gate, gateId), destroyReady(output)];
  const open = [...closed, weak(input)];
  return {
    text: `${name}: ${output.type} = ${input.type} while ${gate.type}/${gateId}`,
    controllers: () => [
      {
        name,
        inputs: closed,
        outputs: [exclusive(output)],
        async reconcile(pass) {
          const found = await pass.get(pointerTo(gate, gateId));
          const isOpen = found?.metadata.phase === 'running';
          pass.setInputs(isOpen ? open : closed);
          const all = isOpen ? await pass.list(input) : [];
          const running = all.filter(({ metadata }) => metadata.phase === 'running');
          await pass.replace(
            output,
            running.map(({ metadata, spec }) => newNumber(output, metadata.id, spec.value)),
          );
        },
      },
    ],
    expect(expected) {
      const isOpen = valuesOf(expected, gate).has(gateId);
      expectValues(expected, output, name, isOpen ? valuesOf(expected, input) : []);
    },
  };
}
