// The start of machined must stay readable: short functions, and a list of topics in which every row stands after what it needs.
import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { topicList } from '../../services/machined/src/stages/topic-list.ts';
import { missingNeeds } from '../../services/machined/src/stages/topic-row.ts';

const source = join(import.meta.dirname, '..', '..', 'services', 'machined', 'src');
const mostLines = 60;
/** Opened by the stage that serves the API, because it needs the runtime of the controllers. */
const openedLater = ['access'];

/** The declarations of a formatted file that hold code, as `<name>: <lines>`. Everything inside of one is indented. */
function declarations(text: string): { readonly name: string; readonly lines: number }[] {
  const found: { name: string; lines: number }[] = [];
  let begin: { readonly name: string; readonly line: number } | undefined;
  for (const [line, content] of text.split('\n').entries()) {
    const name = /^(?:export )?(?:async )?(?:function\*?|const|let|class) (\w+)/.exec(content)?.[1];
    if (name !== undefined) begin = { name, line };
    // A list of parameters also ends at the left margin, and its line goes on.
    const isEnd = /^[^\s].*;$|^[\])}]+[;,]?$/.test(content) || (name !== undefined && content.endsWith('}'));
    if (begin === undefined || !isEnd) continue;
    found.push({ name: begin.name, lines: line - begin.line + 1 });
    begin = undefined;
  }
  return found;
}

test('declarations() finds how long each function, constant and class is', () => {
  const text = [
    'const short = 1;',
    'export async function long(',
    '  a: string,',
    '): Promise<void> {',
    '  if (a) {',
    '    act();',
    '  }',
    '}',
    '',
    'interface Ignored {',
    '  a: string;',
    '}',
    'export const row = topicRow({',
    '  open: () => 1,',
    '});',
  ].join('\n');
  assert.deepEqual(declarations(text), [
    { name: 'short', lines: 1 },
    { name: 'long', lines: 7 },
    { name: 'row', lines: 3 },
  ]);
});

test('no function of a stage is longer than 60 lines', () => {
  const files = globSync('stages/**/*.ts', { cwd: source }).filter((file) => !file.endsWith('.test.ts'));
  const all = files.flatMap((file) =>
    declarations(readFileSync(join(source, file), 'utf8')).map((each) => ({ file, ...each })),
  );
  assert.ok(all.length > 30, String(all.length));
  assert.deepEqual(
    all.filter(({ lines }) => lines > mostLines).map(({ file, name, lines }) => `${file} ${name}: ${lines}`),
    [],
  );
});

test('every row of the list of topics stands after those that it needs', () => {
  assert.deepEqual(missingNeeds(topicList), []);
});

test('no row before the volumes reads a file of the node: they complete a reset that was interrupted', () => {
  const names = topicList.map(({ name }) => name);
  // They open the clock, the list of services, the power button, and what evaluates selectors.
  const before = ['time', 'services', 'devices', 'selectors'];
  assert.deepEqual(names.slice(0, names.indexOf('volumes')), before);
});

test('every topic has one row in the list', () => {
  const folders = readdirSync(source).filter((name) => existsSync(join(source, name, `open-${name}.ts`)));
  const rows = topicList.filter(({ kind }) => kind === 'topic').map(({ name }) => name);
  assert.deepEqual([...rows, ...openedLater].sort(), folders.sort());
});

test('what topics share is needed by two of them', () => {
  const parts = topicList.filter(({ kind }) => kind === 'part').map(({ name }) => name);
  const users = (part: string) => topicList.filter(({ needs }) => needs.some((need) => need === part)).length;
  assert.deepEqual(
    parts.filter((part) => users(part) < 2),
    [],
  );
});
