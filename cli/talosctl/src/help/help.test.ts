import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandTable, findCommand } from '../program/command-table.ts';
import { topLevelHelp } from '../program/top-level-help.ts';
import { everyCommand } from '../testing/every-command.ts';
import { splitCommandLine } from '../values/split-command-line.ts';
import { commandExamples } from './command-examples.ts';

const withExamples = await everyCommand();

/** The words of an example as a shell splits them, without a redirection. */
function wordsOf(line: string): string[] {
  const command = line.replace(/^source <\((.*)\)$/, '$1').replace(/ > .*$/, '');
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+?)'([^']*)'|(\S+)/g)].map(([, ...parts]) =>
    parts.join(''),
  );
}

for (const width of [60, 80, 120]) {
  test(`every help text except examples fits into ${width} columns`, async () => {
    const texts = (await everyCommand(width)).map(({ command }) => command.helpInformation());
    for (const text of [...texts, topLevelHelp(width)]) {
      const lines = text.split('\n').filter((line) => !/^ {2}(talosctl|source) /.test(line));
      assert.deepEqual(
        lines.filter((line) => line.length > width),
        [],
        text,
      );
    }
  });
}

/** Commands whose output is a file or a script, which has a format of its own. */
const withoutDocument = ['completion', 'gen secrets', 'gen secureboot', 'read'];

test('every command prints JSON and YAML with -o, except those whose output is a file', () => {
  const lacking = withExamples
    .filter(({ command }) => command.commands.length === 0)
    .filter(({ command }) => !command.options.some(({ long }) => long === '--output'))
    .map(({ path }) => path);
  assert.deepEqual(lacking, withoutDocument);
});

test('the table of commands is in alphabetical order', () => {
  const names = commandTable.map(({ name }) => name);
  assert.deepEqual(names, names.toSorted());
});

test('every help text begins with the usage and has the connection options after all others', () => {
  for (const { command, path } of withExamples) {
    const text = command.helpInformation();
    assert.ok(text.startsWith(`Usage: talosctl ${path}`), text);
    const headings = [...text.matchAll(/^(Options|Connection|Examples):$/gm)].map(([, heading]) => heading);
    const expected = ['Options', 'Connection', 'Examples'].filter((each) => headings.includes(each));
    assert.deepEqual(headings, expected, path);
    const [, own = ''] = /^Options:\n(.*?)\n\n/ms.exec(text) ?? [];
    // Here it is about the certificates of registries.
    const insecure = path === 'image cache-create' ? '' : '|--insecure';
    const connection = new RegExp(`^ +.*(--nodes|--endpoints|--context|--talosconfig${insecure}) `, 'm');
    assert.doesNotMatch(own, connection, path);
  }
});

test('every help text has an example, and every example belongs to an existing command', () => {
  const paths = withExamples.map(({ path }) => path);
  assert.deepEqual({ missing: paths.filter((path) => !commandExamples[path]?.length) }, { missing: [] });
  assert.deepEqual(
    { unknown: Object.keys(commandExamples).filter((path) => !paths.includes(path)) },
    { unknown: [] },
  );
});

test('every example can be parsed and calls its own command or a subcommand', async () => {
  for (const [path, examples] of Object.entries(commandExamples)) {
    for (const { command: line } of examples) {
      const [name, ...words] = wordsOf(line);
      assert.equal(name, 'talosctl', line);
      const { command, rest } = splitCommandLine(words, (word) => findCommand(word) !== undefined);
      const called: string[] = [];
      // Use a new program for each line, because a parser keeps the options of the previous line.
      const entry = findCommand(command ?? '');
      assert.ok(entry !== undefined, line);
      const built = await everyCommand(undefined, [entry]);
      for (const each of built) each.command.action(() => void called.push(each.path));
      await built[0]?.program.parseAsync([command as string, ...rest], { from: 'user' });
      assert.equal(called.length, 1, line);
      assert.ok(called[0] === path || called[0]?.startsWith(`${path} `), `${line} calls ${called[0]}`);
    }
  }
});
