import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Argument, InvalidArgumentError, Option } from 'commander';
import { UsageFault } from '../context/failure.ts';
import { UsageCommand } from './usage-command.ts';

/** The error of a command with one option and argument of every kind. */
function mistakeIn(...words: string[]): string {
  const number = () => {
    throw new InvalidArgumentError('It must be a number of lines.');
  };
  const path = () => {
    throw new InvalidArgumentError('invalid JSONPath "{": "}" was expected at its end');
  };
  const program = new UsageCommand('talosctl').exitOverride();
  program
    .command('one')
    .option('-t, --tail <lines>', 'lines', number)
    .option('--path <template>', 'template', path)
    .addOption(new Option('--mode <mode>').choices(['try', 'staged']))
    .addOption(new Option('--cri').conflicts('memory'))
    .option('--memory')
    .addArgument(new Argument('<id>').argParser((text) => (text === 'bad' ? number() : text)))
    .action(() => {});
  program
    .command('none')
    .requiredOption('-f, --file <path>', 'file')
    .action(() => {});
  program.command('parent').command('child');
  try {
    program.parse(words, { from: 'user' });
  } catch (error) {
    assert.ok(error instanceof UsageFault, String(error));
    return `${error.message} [${error.command}]`;
  }
  throw new Error('the command line was taken');
}

test('an error on the command line is one line in our words, with its command', () => {
  const rows: [string[], string][] = [
    [['one'], 'argument <id> is missing [one]'],
    [['one', 'x', '--tail', '7'], 'option --tail must be a number of lines, not "7" [one]'],
    [['one', 'bad'], 'argument <id> must be a number of lines, not "bad" [one]'],
    [['one', 'x', '--tail'], 'option --tail needs a value [one]'],
    [['one', 'x', '--path', '{'], 'option --path: invalid JSONPath "{": "}" was expected at its end [one]'],
    [['one', 'x', '--mode', 'a\nb'], 'option --mode must be one of try, staged, not "a\\nb" [one]'],
    [['one', 'x', '--cri', '--memory'], 'option --cri cannot be used with --memory [one]'],
    [['one', 'x', '--memroy'], 'unknown option "--memroy": did you mean "--memory"? [one]'],
    [['one', 'x', '--qqqqqqq'], 'unknown option "--qqqqqqq" [one]'],
    [['one', 'x', 'y'], 'command one takes at most 1 argument: "x, y" [one]'],
    [['none'], 'option --file is missing [none]'],
    [['none', '-f', 'a', 'b'], 'command none takes no arguments: "b" [none]'],
    [['parent', 'chidl'], 'unknown command "chidl": did you mean "child"? [parent]'],
    [['parent', 'zzz'], 'unknown command "zzz" [parent]'],
  ];
  assert.deepEqual(
    rows.map(([words]) => [words, mistakeIn(...words)]),
    rows,
  );
});
