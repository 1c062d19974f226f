// The documentation covers what the code has: every command, field, kind and method, without a link that leads nowhere.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { etcdPorts, kubernetesPorts, methodTable, nodePaths, ports } from '@nodewright/contract';
import { documentKinds, fieldPaths } from '@nodewright/machine-config';
import { nodeKinds } from '@nodewright/state/kinds';
import { everyCommand } from '../../cli/talosctl/src/testing/every-command.ts';
import { methodAddress } from '../../tools/docs/api-pages.ts';
import { buildPages } from '../../tools/docs/build-pages.ts';
import { linkProblems } from '../../tools/docs/check-links.ts';
import { commandAddress } from '../../tools/docs/command-pages.ts';
import { documentAddress, inertCells } from '../../tools/docs/configuration-pages.ts';
import { escapeHtml, plainText } from '../../tools/docs/escape-html.ts';
import { exampleDocuments } from '../../tools/docs/example-documents.ts';
import { highlight } from '../../tools/docs/highlight.ts';
import { type Page, pageGroups } from '../../tools/docs/page.ts';
import { renderSite, type SiteFiles } from '../../tools/docs/render-site.ts';
import { kindAddress } from '../../tools/docs/resource-pages.ts';
import { suite as conformance } from '../conformance/suite.ts';
import { elsewhere } from '../upstream/elsewhere.ts';
import { checkedCommands } from '../upstream/suite.ts';

const checkout = join(import.meta.dirname, '..', '..');
let pages: readonly Page[];
let site: SiteFiles;

before(async () => {
  pages = await buildPages(checkout);
  site = renderSite(pages, 'v0');
});

/** The addresses, as `page.html#anchor`, that the site does not have. */
function missing(addresses: readonly string[]): string[] {
  return addresses.filter((address) => {
    const [name = '', anchor = ''] = address.split('#');
    const html = site.get(name);
    return html === undefined || !html.includes(` id="${escapeHtml(anchor)}"`);
  });
}

test('every command has a section with its options', async () => {
  const commands = await everyCommand();
  assert.deepEqual(missing(commands.map(({ path }) => commandAddress(path))), []);
  const undocumented = commands.flatMap(({ path, command }) => {
    const html = site.get(commandAddress(path).split('#')[0] ?? '') ?? '';
    return command.options
      .filter(({ hidden, flags }) => !hidden && !html.includes(`<code>${escapeHtml(flags)}</code>`))
      .map(({ flags }) => `${path} ${flags}`);
  });
  assert.deepEqual(undocumented, []);
});

test('every field of every kind of document has a row with its meaning', () => {
  const undocumented = documentKinds.flatMap((kind) => {
    const html = site.get(documentAddress(kind)) ?? '';
    return fieldPaths(kind)
      .filter(
        ({ path }) =>
          !new RegExp(`<tr><td><code>${RegExp.escape(path)}</code></td><td>[^\n]+</td><td>[^<]`).test(html),
      )
      .map(({ path }) => `${kind} ${path}`);
  });
  assert.deepEqual(undocumented, []);
});

test('the page about what nodes do not act on has every row of the table', () => {
  const html = site.get('configuration-not-applied.html') ?? '';
  const shown = [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => cell.replace(/<[^>]+>/g, '')),
  );
  const wanted = inertCells().map(([title, path, ...cells]) => [title, path || 'all of it', ...cells]);
  assert.deepEqual(
    shown.filter((cells) => cells.length > 0),
    wanted,
  );
});

test('every kind of resource and every method has a section', () => {
  assert.deepEqual(missing(nodeKinds.map(kindAddress)), []);
  assert.deepEqual(missing(Object.keys(methodTable).map(methodAddress)), []);
});

test('no link leads nowhere, and no page loads anything from another host', () => {
  const pictures = globSync('*.{svg,png}', { cwd: join(checkout, 'docs/pictures') });
  const paths = pictures.map((name) => `pictures/${name}`);
  assert.deepEqual(linkProblems(site, paths), []);
  for (const [name, html] of site) {
    assert.doesNotMatch(html, /<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?\/\//, name);
    assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)/, name);
  }
});

test('each kind of document has a whole example, which the validator accepts', async () => {
  const examples = await exampleDocuments();
  assert.deepEqual(
    examples.map(({ kind }) => kind),
    documentKinds,
  );
  assert.deepEqual(
    examples.filter(({ findings }) => findings.length > 0),
    [],
  );
  for (const { kind, text } of examples) {
    const html = site.get(documentAddress(kind)) ?? '';
    assert.ok(plainText(html).includes(text.replaceAll(/\s+/g, ' ').trim()), kind);
    // A header alone shows nothing.
    assert.ok(text.trim().split('\n').length > 2, kind);
  }
});

test('llms.txt has a line for each page, by groups', () => {
  const list = site.get('llms.txt') ?? '';
  assert.match(list, /^# nodewright\n\n> .+\n\n## Start\n\n- \[/);
  const listed = [...list.matchAll(/^- \[.+?\]\(([\w.-]+)\.html\)/gm)].map(([, id]) => id);
  assert.deepEqual(listed.toSorted(), pages.map(({ id }) => id).toSorted());
});

test('each page leads to those before and after it in its group', () => {
  for (const group of pageGroups) {
    const ids = pages.filter((page) => page.group === group).map(({ id }) => id);
    const nextOf = (id: string, rel: string) =>
      new RegExp(`rel="${rel}" href="([^"]+)\\.html"`).exec(site.get(`${id}.html`) ?? '')?.[1];
    assert.deepEqual(
      ids.map((id) => nextOf(id, 'next')),
      [...ids.slice(1), undefined],
    );
    assert.deepEqual(
      ids.map((id) => nextOf(id, 'prev')),
      [undefined, ...ids.slice(0, -1)],
    );
  }
});

test('each concept is one or two screens, links to others, and names only commands and kinds that exist', async () => {
  const concepts = pages.filter(({ group }) => group === 'Concepts');
  assert.equal(concepts.length, 9);
  const paths = new Set((await everyCommand()).map(({ path }) => path));
  const aliases = new Set(
    nodeKinds.flatMap(({ allAliases }) => allAliases.map((name) => name.toLowerCase())),
  );
  for (const { markdown, source = '' } of concepts) {
    // Besides what commands print.
    const said = markdown.replaceAll(/^```text$.*?^```$/gms, '');
    assert.ok(said.split(/\s+/).length < 700, source);
    assert.match(markdown, /^## Go on$/m, source);
    const commands = [
      ...markdown.matchAll(/talosctl ((?:-n \S+ |--\w+ [\w,.]+ )*)([a-z][a-z -]*[a-z])/g),
    ].map(([, , words = '']) => words);
    for (const words of commands) {
      const [first = '', second = ''] = words.split(' ');
      assert.ok(paths.has(`${first} ${second}`) || paths.has(first), `${source}: talosctl ${words}`);
      // The list of kinds is a kind of the protocol itself.
      if (first === 'get' && second !== 'rd') assert.ok(aliases.has(second), `${source}: get ${second}`);
    }
  }
});

test('highlight() colours the parts of each language, and loses no character', () => {
  const samples: Readonly<Record<string, [text: string, spans: string]>> = {
    sh: ['make up # now\necho "$A" --x', 'word:make comment:# now text:"$A" option:--x'],
    yaml: ['# c\nkey: "v"\nn: 5\n---\n- a: b', 'comment:# c key:key text:"v" key:n number:5 word:--- key:a'],
    json: ['{"a": [1, true, "b"]}', 'key:"a" number:1 word:true text:"b"'],
    hcl: [
      'resource "x" "y" {\n  a = 1 # c\n}',
      'word:resource text:"x" text:"y" key:  a number:1 comment:# c',
    ],
    console: ['$ ls -l\nout <x>', 'comment:$  option:-l'],
  };
  for (const [language, [text, spans]] of Object.entries(samples)) {
    const html = highlight(language, text);
    const found = [...html.matchAll(/<span class="code-(\w+)">(.*?)<\/span>/g)];
    const unescaped = (part: string) =>
      part.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&#39;', "'");
    assert.equal(
      found.map(([, part, inner = '']) => `${part}:${unescaped(inner)}`).join(' '),
      spans,
      language,
    );
    assert.equal(unescaped(html.replaceAll(/<\/?span[^>]*>/g, '')), text, language);
  }
  assert.equal(highlight('text', '<b>'), '&lt;b&gt;');
});

test('linkProblems() finds a page and an anchor that do not exist', () => {
  const files = new Map([
    ['a.html', '<a href="b.html">b</a> <a href="#c">c</a> <a href="#d">d</a> <h2 id="d">'],
  ]);
  assert.deepEqual(linkProblems(files), ['a.html: b.html', 'a.html: #c']);
});

test('renderSite() shows markup in texts as text', () => {
  const page: Page = {
    id: 'x',
    title: '<b>',
    group: 'Start',
    markdown: '# A <script>alert(1)</script>\n\n<img src=x>',
  };
  const html = renderSite([page], '<v>').get('x.html') ?? '';
  assert.doesNotMatch(html, /<script>alert|<img|<b>|<v>/);
  assert.match(html, /&lt;script&gt;alert\(1\)/);
});

test('every message in the troubleshooting guide is one that the code prints', () => {
  const sources = globSync('{packages,services,cli}/*/src/**/*.ts', { cwd: checkout })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(checkout, path), 'utf8'));
  const guide = readFileSync(join(checkout, 'docs/troubleshooting.md'), 'utf8');
  const messages = [...guide.matchAll(/^### (.+)$/gm)].map(([, message = '']) => message);
  assert.ok(messages.length > 10);
  const unknown = messages.flatMap((message) =>
    message
      .split('…')
      .map((part) => part.replaceAll(/^[\s"':;]+|[\s"':;]+$/g, ''))
      .filter((part) => part.length > 6 && !sources.some((source) => source.includes(part))),
  );
  assert.deepEqual(unknown, []);
});

test('make docs writes the pages, and lists nothing else', () => {
  const folder = join(checkout, '_out', 'docs-test');
  const printed = execFileSync(process.execPath, ['tools/docs.ts', '--out', folder], {
    cwd: checkout,
    encoding: 'utf8',
  });
  assert.match(printed, /^docs: \d+ pages, open .*index\.html\n$/);
  const names = globSync('**', { cwd: folder }).filter((name) => !['.', 'pictures'].includes(name));
  const images = [...site.values()].flatMap((html) => [...html.matchAll(/<img src="([^"]+)"/g)]);
  const pictures = new Set(images.map(([, source = '']) => source));
  assert.ok(pictures.size > 0);
  assert.deepEqual(
    names.sort(),
    [...site.keys(), 'style.css', 'page.js', 'search.js', 'search-engine.js', ...pictures].sort(),
  );
});

test('the page of ports has every port and path of the contract, and that of errors every message of the guide', () => {
  const html = site.get('ports.html') ?? '';
  const numbers = [...Object.values(ports), ...Object.values(etcdPorts), ...Object.values(kubernetesPorts)];
  assert.deepEqual(
    numbers.filter((port) => !html.includes(`<td>${port}</td>`)),
    [],
  );
  assert.deepEqual(
    Object.values(nodePaths).filter((path) => !html.includes(`<code>${path}</code>`)),
    [],
  );
  const guide = readFileSync(join(checkout, 'docs/troubleshooting.md'), 'utf8');
  const messages = guide.match(/^### /gm)?.length ?? 0;
  const links = site.get('errors.html')?.match(/href="troubleshooting\.html#/g)?.length ?? 0;
  assert.deepEqual([messages > 20, links], [true, messages]);
});

test('the page of compatibility has every promise and every command of the released client', () => {
  const text = (site.get('compatibility.html') ?? '').replaceAll(/<[^>]+>/g, '');
  const missingPromises = conformance.filter(({ says }) => !text.includes(escapeHtml(says)));
  assert.deepEqual(
    missingPromises.map(({ id }) => id),
    [],
  );
  const commands = [...checkedCommands, ...Object.keys(elsewhere)];
  assert.deepEqual(
    commands.filter((command) => !text.includes(command)),
    [],
  );
});
