import type { SeededRandom } from '../fuzz/seeded-random.ts';
import { kindOf, type NumberKind, type Station } from './station.ts';
import { circling } from './stations/circling.ts';
import { climbing } from './stations/climbing.ts';
import { gating } from './stations/gating.ts';
import { holding } from './stations/holding.ts';
import { merging } from './stations/merging.ts';
import { picking } from './stations/picking.ts';
import { ripening } from './stations/ripening.ts';
import { sensing } from './stations/sensing.ts';
import { sharing } from './stations/sharing.ts';
import { totalling } from './stations/totalling.ts';
import { transforming } from './stations/transforming.ts';

export const ids = ['a', 'b', 'c', 'd'] as const;
export const registers = ['r0', 'r1'] as const;

/** Controllers that read what users and other controllers write. */
export interface Graph {
  /** The kinds that users write. */
  readonly bases: readonly NumberKind[];
  readonly stations: readonly Station[];
}

/**
 * Stations in a row, each of which may read what earlier ones write; a cycle is always inside one station.
 */
export function randomGraph(random: SeededRandom): Graph {
  const bases = Array.from({ length: 1 + random.below(2) }, (_, at) => kindOf(`base${at}`));
  const kinds = [...bases];
  const stations: Station[] = [];
  let made = 0;
  const next = () => {
    made += 1;
    return { name: `C${made}`, output: kindOf(`kind${made}`) };
  };
  for (let left = 1 + random.below(6); left > 0; left -= 1) {
    const before = made;
    stations.push(randomStation(random, kinds, next));
    for (let at = before + 1; at <= made; at += 1) kinds.push(kindOf(`kind${at}`));
  }
  return { bases, stations };
}

function randomStation(
  random: SeededRandom,
  kinds: readonly NumberKind[],
  next: () => { readonly name: string; readonly output: NumberKind },
): Station {
  const input = () => random.pick(kinds);
  const several = (count: number) => [...new Set(Array.from({ length: count }, input))];
  switch (random.below(12)) {
    case 0: {
      const stages = several(2 + random.below(3)).map((from) => ({ ...next(), input: from }));
      return circling(stages);
    }
    case 1: {
      const { name, output } = next();
      return climbing(name, input(), output);
    }
    case 2: {
      const { name, output } = next();
      return gating(name, input(), random.pick(ids), input(), output);
    }
    case 3:
    case 4: {
      const { name, output } = next();
      return holding(name, input(), output);
    }
    case 5: {
      const { name, output } = next();
      return merging(name, several(1 + random.below(3)), output);
    }
    case 6: {
      const { name, output } = next();
      return picking(name, input(), random.pick(ids), output);
    }
    case 7: {
      const { name, output } = next();
      return ripening(name, input(), 100 + random.below(5000), output);
    }
    case 8: {
      const { name, output } = next();
      return sensing(name, random.pick(registers), output);
    }
    case 9: {
      const [first, second] = [next(), next()];
      const parts = [first, second].map(({ name }) => ({ name, input: input() }));
      return sharing(parts, first.output);
    }
    case 10: {
      const { name, output } = next();
      return totalling(name, input(), output);
    }
    default: {
      const { name, output } = next();
      return transforming(name, input(), output, random.below(2) === 0);
    }
  }
}
