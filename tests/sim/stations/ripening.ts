import { destroyReady, exclusive, weak } from '@nodewright/controllers';
import { expectValues, type NumberKind, newNumber, type Station, valuesOf } from '../station.ts';

/** Copies inputs that are old enough, so only time wakes it. */
export function ripening(name: string, input: NumberKind, delayMs: number, output: NumberKind): Station {
  return {
    text: `${name}: ${output.type} = ${input.type} older than ${delayMs} ms`,
    controllers: () => [
      {
        name,
        inputs: [weak(input), destroyReady(output)],
        outputs: [exclusive(output)],
        async reconcile(pass) {
          const running = (await pass.list(input)).filter(({ metadata }) => metadata.phase === 'running');
          const ripe = running.filter(({ metadata }) => {
            const leftMs = metadata.createdMs + delayMs - pass.now();
            if (leftMs > 0) pass.wakeAfter(leftMs);
            return leftMs <= 0;
          });
          await pass.replace(
            output,
            ripe.map(({ metadata, spec }) => newNumber(output, metadata.id, spec.value)),
          );
        },
      },
    ],
    expect(expected) {
      expectValues(expected, output, name, valuesOf(expected, input));
    },
  };
}
