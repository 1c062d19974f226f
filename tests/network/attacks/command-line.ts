import { eventually } from '@nodewright/testkit';
import { managed } from './attack-bench.ts';
import type { NetworkAttack } from './network-attack.ts';

const timeoutMs = 60_000;

/** Wrong in one way each. */
const wrong = [
  'ip=10.97.0.2:::99::eth0:off',
  'ip=10.97.0.3:::255.0.255.0::eth0:off',
  'ip=224.0.0.1::::::off',
  'ip=127.0.0.1::::::off',
  'ip=[fe80::1:::::eth0:off',
  'ip=10.97.0.4::::\x1b[2Jevil:eth0:off',
  `ip=10.97.0.5::::${'h'.repeat(300)}:eth0:off`,
  `ip=10.97.0.6:::::${'d'.repeat(300)}:off`,
  'ip=10.97.0.7:::::../../etc:off',
  'ip=10.97.0.8:::::eth0:dhcp6',
  'ip=10.97.0.9:::::eth0:dhcp',
  'ip=::::::::::::::::',
  'ip=10.97.0.10:::24::eth0:off:\x07:[::1:ntp',
];

export const ipArguments: NetworkAttack = {
  name: 'ip-arguments',
  what: 'a command line with 2,000 arguments ip=, with control characters, wrong netmasks and names of 300 bytes',
  limit: '64 arguments are read; a wrong one is reported, and affects no other',
  seenToFail: 'the limit of arguments was taken away; and before lines about a wrong one were made printable',
  async run({ openMachine }) {
    const many = Array.from(
      { length: 2000 },
      (_, index) => `ip=10.96.${index >> 8}.${index & 255}:::32::missing${index}:off`,
    );
    const machine = await openMachine({ words: [...wrong, ...many].join(' ') });
    const explain = machine.running.text;
    const diagnosticsOf = async () => (await machine.report()).diagnostics;
    await eventually(async () => (await diagnosticsOf()).length > 0, {
      what: 'a diagnostic',
      timeoutMs,
      explain,
    });
    const lines = await diagnosticsOf();
    const problems = [
      ...(lines.some((line) => line.includes('all after 64 are ignored'))
        ? []
        : [`nothing says how many are read: ${lines.slice(0, 3).join('; ')}`]),
      ...(machine.ip('addr', 'show', 'dev', 'mgmt0').includes(managed)
        ? []
        : ['the address of the first argument is missing']),
      ...(lines.join().length < 16_384 ? [] : [`the diagnostics have ${lines.join().length} characters`]),
      ...(/(?!\n)\p{Cc}/u.test(lines.join())
        ? [`a diagnostic has control characters: ${JSON.stringify(lines)}`]
        : []),
    ];
    return { counts: { arguments: wrong.length + many.length }, problems };
  },
};
