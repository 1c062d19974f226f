import { eventually } from '@nodewright/testkit';
import { type AttackedMachine, managed } from './attack-bench.ts';
import type { NetworkAttack } from './network-attack.ts';

const timeoutMs = 120_000;

/** Numbers of addresses, routes and rules. */
interface Sizes {
  readonly addresses: number;
  readonly routes: number;
  readonly rules: number;
}

/** A configuration with these numbers. A rule without a source becomes one of each family. */
function textOf({ addresses, routes, rules }: Sizes): string {
  const list = (count: number, entryOf: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => `  - {${entryOf(index)}}\n`).join('');
  const link = [
    'apiVersion: v1alpha1\nkind: LinkConfig\nname: eth0\nup: true\n',
    `addresses:\n${list(addresses, (index) => `address: 10.200.${index >> 8}.${index & 255}/32`)}`,
    `routes:\n${list(routes, (index) => `destination: 10.${100 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}/32`)}`,
  ].join('');
  const documents = Array.from(
    { length: rules / 2 },
    (_, index) => `apiVersion: v1alpha1\nkind: RoutingRuleConfig\nname: "${10_000 + index}"\ntable: "77"\n`,
  );
  return [link, ...documents].join('---\n');
}

/** How many of them the kernel has. */
function kernelSizes({ ip }: AttackedMachine): Sizes {
  const linesOf = (...words: string[]) => ip(...words).split('\n');
  const routes = linesOf('-4', 'route', 'show', 'dev', 'eth0').filter((line) => line.startsWith('10.1'));
  const addresses = linesOf('-4', '-o', 'addr', 'show', 'dev', 'eth0').filter((line) =>
    line.includes(' 10.200.'),
  );
  const rules = ['-4', '-6']
    .flatMap((family) => linesOf(family, 'rule'))
    .filter((line) => line.includes(' 77'));
  return { addresses: addresses.length, routes: routes.length, rules: rules.length };
}

const sizesText = ({ addresses, routes, rules }: Sizes) =>
  `${addresses} addresses, ${routes} routes, ${rules} rules`;

/** Addresses that the machine has beside those of the configuration: of the loopback device, and of ip=. */
const others = 2;
/** What the limits of a configuration permit at most with so many addresses and rules. */
const largest: Sizes = { addresses: 1000 - others, routes: 5000, rules: 1000 };
const tooMany: Sizes = { addresses: 1100, routes: 4000, rules: 1200 };
const refused: Sizes = { addresses: 1000, routes: 10_000, rules: 1000 };

export const networkConfiguration: NetworkAttack = {
  name: 'network-configuration',
  what: 'a configuration with 1,000 addresses, 5,000 routes and 1,000 rules, then one with more, and then none of them',
  limit:
    '1,000 addresses, 10,000 routes and 1,000 rules in the kernel, after those of ip= and of servers; a configuration has 30,000 keys and values at most, which is less than 10,000 routes',
  seenToFail: 'the limit of rules was taken away',
  mostGrowthMb: 256,
  async run({ openMachine, isShort }) {
    const machine = await openMachine({ words: '' });
    const problems: string[] = [];
    const { refusal } = await machine.configure(textOf(refused));
    if (!/30,000/.test(refusal)) problems.push(`a configuration with 10,000 routes: "${refusal}"`);
    const scale = isShort ? 0.25 : 1;
    const large = { ...largest, routes: largest.routes * scale };
    const reach = async (text: string, wanted: Sizes) => {
      const answer = await machine.configure(text);
      if (answer.refusal !== '') throw new Error(`the configuration is refused: ${answer.refusal}`);
      await eventually(() => sizesText(kernelSizes(machine)) === sizesText(wanted), {
        ...{ what: sizesText(wanted), timeoutMs },
        explain: () => `${sizesText(kernelSizes(machine))}\n${machine.running.text().slice(-2000)}`,
      });
    };
    await reach(textOf(large), large);
    await reach(textOf({ ...tooMany, routes: tooMany.routes * scale }), {
      ...{ addresses: 1000 - others, routes: tooMany.routes * scale, rules: 1000 },
    });
    await eventually(
      async () => (await machine.report()).diagnostics.join().includes('of 1200 routing rules only'),
      {
        ...{ what: 'a diagnostic', timeoutMs, explain: machine.running.text },
      },
    );
    if (!machine.ip('-4', 'addr', 'show', 'dev', 'mgmt0').includes(managed))
      problems.push('the address of ip= is gone');
    await reach('apiVersion: v1alpha1\nkind: LinkConfig\nname: eth0\nup: true\n', {
      addresses: 0,
      routes: 0,
      rules: 0,
    });
    return { counts: { ...large }, problems };
  },
};
