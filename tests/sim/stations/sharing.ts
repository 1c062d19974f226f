import { type Controller, destroyReady, shared, weak } from '@nodewright/controllers';
import { expectValues, type NumberKind, newNumber, type Station, valuesOf } from '../station.ts';

/** Several controllers that write one kind, each with its own ids. */
export function sharing(
  parts: readonly { readonly name: string; readonly input: NumberKind }[],
  output: NumberKind,
): Station {
  const idOf = (name: string, id: string) => `${name}-${id}`;
  return {
    text: `${parts.map(({ name, input }) => `${name}: part of ${output.type} = ${input.type}`).join(', ')}`,
    controllers: () =>
      parts.map(
        ({ name, input }): Controller => ({
          name,
          inputs: [weak(input), destroyReady(output)],
          outputs: [shared(output)],
          async reconcile(pass) {
            const running = (await pass.list(input)).filter(({ metadata }) => metadata.phase === 'running');
            await pass.replace(
              output,
              running.map(({ metadata, spec }) => newNumber(output, idOf(name, metadata.id), spec.value)),
            );
          },
        }),
      ),
    expect(expected) {
      for (const { name, input } of parts) {
        const made = [...valuesOf(expected, input)].map(([id, value]) => [idOf(name, id), value] as const);
        expectValues(expected, output, name, made);
      }
    },
  };
}
