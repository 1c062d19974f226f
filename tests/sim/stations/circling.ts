import { type Controller, destroyReady, exclusive, weak } from '@nodewright/controllers';
import { expectValues, type NumberKind, newNumber, type Station, valuesOf } from '../station.ts';

interface Stage {
  readonly name: string;
  readonly input: NumberKind;
  readonly output: NumberKind;
}

/**
 * The distance of every id: 0 at a stage that has it as input, else one more than at the previous stage, up
 * to a limit.
 */
function distances(ids: Iterable<string>, before: ReadonlyMap<string, number>, limit: number) {
  const found = new Map<string, number>();
  for (const [id, distance] of before) if (distance + 1 < limit) found.set(id, distance + 1);
  for (const id of ids) found.set(id, 0);
  return found;
}

/**
 * A cycle that converges: each stage reads its own input and the previous stage; the first one reads the last
 * one.
 */
export function circling(stages: readonly Stage[]): Station {
  const limit = stages.length;
  const before = (at: number) => stages.at(at - 1) as Stage;
  return {
    text: `${stages.map(({ name, input, output }) => `${name}: ${output.type} = distance(${input.type})`).join(', ')}, in a cycle`,
    controllers: () =>
      stages.map(
        ({ name, input, output }, at): Controller => ({
          name,
          inputs: [weak(input), weak(before(at).output), ...(limit === 1 ? [] : [destroyReady(output)])],
          outputs: [exclusive(output)],
          async reconcile(pass) {
            const running = async (kind: NumberKind) =>
              (await pass.list(kind)).filter(({ metadata }) => metadata.phase === 'running');
            const ids = (await running(input)).map(({ metadata }) => metadata.id);
            const reached = new Map(
              (await running(before(at).output)).map(({ metadata, spec }) => [metadata.id, spec.value]),
            );
            const wanted = [...distances(ids, reached, limit)];
            await pass.replace(
              output,
              wanted.map(([id, distance]) => newNumber(output, id, distance)),
            );
          },
        }),
      ),
    expect(expected) {
      let reached = new Map<string, number>();
      // After two rounds the distances no longer change.
      for (let round = 0; round < 2 * limit; round += 1) {
        const { name, input, output } = stages[round % limit] as Stage;
        reached = distances(valuesOf(expected, input).keys(), reached, limit);
        if (round >= limit) expectValues(expected, output, name, reached);
      }
    },
  };
}
