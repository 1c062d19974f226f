import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Option } from 'commander';
import fc from 'fast-check';
import { UsageFault } from '../context/failure.ts';
import { type CommandEntry, findCommand } from '../program/command-table.ts';
import { everyCommand } from '../testing/every-command.ts';
import { UsageCommand } from './usage-command.ts';

const create = () =>
  new UsageCommand('talosctl')
    .option('-f, --force', 'boolean')
    .option('-k, --kubernetes', 'boolean')
    .option('--wait', 'on by default', true)
    .option('--no-browser', 'on by default', true)
    .option('-n, --nodes <nodes>', 'with a value')
    .addOption(new Option('--prove [how]', 'with an optional value').preset('files'));

const parse = (...words: string[]) => {
  const command = create();
  const { operands, unknown } = command.parseOptions(words);
  return { ...command.opts(), operands, unknown };
};
const defaults = { wait: true, browser: true, operands: [], unknown: [] };

const cases = [
  ['--force=true', { force: true }],
  ['--force=false', { force: false }],
  ['-k=false', { kubernetes: false }],
  ['-k=1', { kubernetes: true }],
  ['-k=T', { kubernetes: true }],
  ['-fk=false', { force: true, kubernetes: false }],
  ['--force -k --force=false', { force: false, kubernetes: true }],
  ['--force=false --force', { force: true }],
  ['--wait=false', { wait: false }],
  ['--wait=false --wait=true', { wait: true }],
  ['--no-browser=true', { browser: false }],
  ['--no-browser --no-browser=false', { browser: true }],
  ['--prove a.yaml', { prove: 'files', operands: ['a.yaml'] }],
  ['--prove=run a.yaml', { prove: 'run', operands: ['a.yaml'] }],
  ['-n --prove', { nodes: '--prove' }],
  ['-n=node01', { nodes: 'node01' }],
  ['-fn=node01', { force: true, nodes: 'node01' }],
  ['-n=--', { nodes: '--' }],
  ['-n -k=false', { nodes: '-k=false' }],
  ['-fn -k=false', { force: true, nodes: '-k=false' }],
  ['--nodes=-k=false', { nodes: '-k=false' }],
  ['-n-k=false', { nodes: '-k=false' }],
  ['-- -k=false', { operands: ['-k=false'] }],
  ['-z=false', { unknown: ['-z=false'] }],
  ['-kz=false', { kubernetes: true, unknown: ['-z=false'] }],
] as const;

test('parse() of flags with an equals sign gives what pflag gives', () => {
  for (const [line, changes] of cases)
    assert.deepEqual(parse(...line.split(' ')), { ...defaults, ...changes }, line);
});

test('a boolean flag refuses a value that is neither true nor false, and names the flag', () => {
  for (const word of ['--force=', '--force=yes', '-k=constructor', '-fk=2'])
    assert.throws(
      () => parse(word),
      (error: unknown) => error instanceof UsageFault && error.message.includes(word.split('=')[0] as string),
    );
});

test('a flag that was turned off adds no flag to the help', async () => {
  const [logs] = await everyCommand(80, [findCommand('logs') as CommandEntry]);
  const before = logs?.command.helpInformation();
  logs?.command.parseOptions(['-k=false']);
  assert.equal(logs?.command.helpInformation(), before);
});

test('the last of any number of forms of a boolean flag counts', () => {
  const forms = ['--force', '-f', '--force=true', '-f=true', '--force=false', '-f=false', '-kf', '-kf=false'];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...forms), { minLength: 1, maxLength: 6 }), (words) => {
      const { force } = parse(...words) as { force?: boolean };
      assert.equal(force, !words.at(-1)?.endsWith('=false'));
    }),
    { seed: 46 },
  );
});
