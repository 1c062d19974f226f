import { destroyReady, exclusive } from '@nodewright/controllers';
import { expectValues, type NumberKind, newNumber, type Station } from '../station.ts';

const id = 'sensed';

/** Reads a register outside the store. The open source reports changes, and fails at random. */
export function sensing(name: string, register: string, output: NumberKind): Station {
  return {
    text: `${name}: ${output.type}/${id} = register ${register}`,
    controllers: ({ world, chaos, work }) => [
      {
        name,
        inputs: [destroyReady(output)],
        outputs: [exclusive(output)],
        async open(source, scope) {
          let isBroken = false;
          await work(`${name} opens its source`);
          if (chaos.strikes(4)) throw new Error('simulated: it cannot be opened');
          scope.use(
            world.listen(() => {
              if (isBroken) return;
              isBroken = chaos.strikes(4);
              if (isBroken) source.fail(new Error('simulated: it broke'));
              else source.wake();
            }),
          );
          scope.defer(() => work(`${name} closes its source`));
        },
        async reconcile(pass) {
          const value = world.read(register);
          await work(`${name} reads`);
          await pass.replace(output, value === 0 ? [] : [newNumber(output, id, value)]);
        },
      },
    ],
    expect(expected) {
      const value = expected.register(register);
      expectValues(expected, output, name, value === 0 ? [] : [[id, value]]);
    },
  };
}
