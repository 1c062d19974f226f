import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutputStream } from '../context/command-module.ts';
import { commandAccess } from '../node-selection/command-access.ts';
import { openItems, writeDocument } from './document.ts';
import { commandsWithNames } from './name-templates.ts';
import { type DocumentFormat, outputChoices, parseLogFormat, parseOutputFormat } from './output-format.ts';

class Sink implements OutputStream {
  text = '';
  write(text: string | Uint8Array): boolean {
    this.text += text;
    return true;
  }
}

const services = [
  { node: 'node01', services: [{ id: 'apid' }, { id: 'etcd' }] },
  { node: 'node02', error: { code: 'Unavailable', message: 'no' } },
];

async function printed(document: unknown, format: DocumentFormat): Promise<string> {
  const sink = new Sink();
  await writeDocument(sink, format, document);
  return sink.text;
}

const documentFormat = (text: string, command: string) => parseOutputFormat(text, command) as DocumentFormat;

test('-o name prints one identifier per line, and -o jsonpath what it selects in each entry', async () => {
  assert.equal(await printed(services, documentFormat('name', 'service')), 'apid\netcd\n');
  assert.equal(
    await printed(services, documentFormat('jsonpath={.node}{.services[0]}', 'service')),
    'node01\n{\n    "id": "apid"\n}\nnode02\n',
  );
  assert.equal(await printed({ nodes: [{ name: 'a' }] }, documentFormat('name', 'cluster show')), 'a\n');
});

test('-o jsonpath selects in the document that -o json prints', async () => {
  const entry = { id: 18_446_744_073_709_551_615n, at: new Date(0), gone: undefined };
  const format = documentFormat('jsonpath={.id}{.at}{.gone}', 'memory');
  assert.equal(await printed([entry], format), '18446744073709551615\n1970-01-01T00:00:00.000Z\n');
});

test('-o jsonpath prints what it selects in each item of a stream, as it arrives', async () => {
  const sink = new Sink();
  const items = openItems(sink, documentFormat('jsonpath={.line}', 'logs'), true);
  await items.add({ node: 'node01', line: 'one' });
  assert.equal(sink.text, 'one\n');
  await items.add({ node: 'node01', line: 'two' });
  items.end();
  assert.equal(sink.text, 'one\ntwo\n');
});

test('-o wide is the table when there are no columns to add', () => {
  assert.equal(parseOutputFormat('wide', 'memory'), 'table');
});

test('an unsupported format is refused in one line', () => {
  const refusals: [string, string, RegExp][] = [
    ['name', 'memory', /^memory has no names to print: use "-o json" or a jsonpath\.$/],
    ['xml', 'memory', /^It must be one of table, wide, json, yaml, jsonpath='{\.\.\.}'\.$/],
    ['xml', 'service', /^It must be one of table, wide, json, yaml, name, jsonpath='{\.\.\.}'\.$/],
    ['jsonpath=.node', 'memory', /^A JSONPath stands in braces/],
    ['jsonpath={.node', 'memory', /^invalid JSONPath "{\.node"/],
  ];
  for (const [text, command, message] of refusals) {
    assert.throws(() => parseOutputFormat(text, command), { message });
  }
});

test('every offered format is accepted, and every command with identifiers exists', () => {
  for (const command of [...commandsWithNames, 'memory', 'logs']) {
    if (!['memory', 'logs'].includes(command)) assert.ok(command in commandAccess, command);
    for (const choice of outputChoices(command)) {
      parseLogFormat(choice === 'jsonpath=' ? 'jsonpath={.node}' : choice, command);
    }
  }
});
