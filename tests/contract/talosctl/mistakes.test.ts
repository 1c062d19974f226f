// Each mistake of the table gives one clear line and what to do, fails, and leaves nothing half done.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { commandTable } from '../../../cli/talosctl/src/program/command-table.ts';
import { MistakeRig } from './mistake-rig.ts';
import { mistakes } from './mistakes.ts';

let rig: MistakeRig;
let traces: readonly string[];
before(async () => {
  rig = await MistakeRig.open();
  traces = rig.traces();
});
after(() => rig[Symbol.asyncDispose]());

const wordsOf = (words: string | readonly string[]) => (typeof words === 'string' ? words.split(' ') : words);

for (const { words, says, role = 'admin', prints } of mistakes) {
  const shown = wordsOf(words).map((word) => (/^[\w./:=@,-]+$/.test(word) ? word : JSON.stringify(word)));
  test(`talosctl ${shown.join(' ')}${role === 'admin' ? '' : ' by a reader'} fails with its line, and leaves nothing`, async () => {
    const { stdout, stderr, exitCode } = await rig.run(wordsOf(words), role);
    assert.equal(stderr, says.map((line) => `${line}\n`).join(''));
    assert.equal(exitCode, 1);
    if (prints === 'header') assert.match(stdout, /^(NODE .*\n)?$/);
    else assert.equal(stdout, '');
    assert.deepEqual(rig.traces(), traces);
    assert.deepEqual(rig.changes(), []);
  });
}

test('the table has at least 108 mistakes, each once, of most commands', () => {
  const lines = mistakes.map(({ words, role }) => `${role ?? ''} ${wordsOf(words).join(' ')}`);
  assert.equal(new Set(lines).size, lines.length);
  assert.ok(lines.length >= 108, String(lines.length));
  const made = commandTable.filter(({ name }) => lines.some((line) => line.split(' ').includes(name)));
  assert.ok(made.length > 0.9 * commandTable.length, String(made.length));
});

test('each mistake has one line that says what is wrong, and at most one more that says what to do', () => {
  for (const { says } of mistakes) {
    const [line = '', hint, ...more] = says;
    assert.deepEqual(more, [], line);
    assert.match(line, /^(?:error: |error from node )/);
    // Codes and stacks of the system are no words for people.
    const text = says.join('\n');
    assert.doesNotMatch(
      text,
      /\bE(?:NO\w+|ACCES|EXIST|PERM|ISDIR|CONN\w+|ADDR\w+)\b|\n\s+at |undefined|\[object|file:\/\//,
    );
    assert.ok(text.length < 420, text);
    // A usage error names the help of its command.
    if (/^error: (?:option|argument|command|flag|unknown (?:option|command)) /.test(line))
      assert.match(line, /see "talosctl [^"]*--help"|name a node/, line);
    if (hint !== undefined)
      assert.match(hint, /"talosctl |did you mean|needs the role|the nodes of this cluster/);
  }
});
