import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Command } from 'commander';
import type { CliEnvironment } from '../context/command-module.ts';
import { commandPath, leafCommands } from '../context/command-path.ts';
import { commandTable } from '../program/command-table.ts';
import { createProgram } from '../program/create-program.ts';
import { accessOf, type CommandAccess, commandAccess } from './command-access.ts';
import { selectionRules } from './describe-selection.ts';

const nowhere = { write: () => {} };
const env = { stdout: nowhere, stderr: nowhere } as unknown as CliEnvironment;
const leaves: Command[] = [];
for (const entry of commandTable) leaves.push(...leafCommands(createProgram(entry, await entry.load(), env)));

test('the table of accesses has exactly the commands that exist', () => {
  const listed = Object.keys(commandAccess).filter((key) => !key.includes('*'));
  assert.deepEqual(leaves.map(commandPath).sort(), listed.sort());
});

test('a command talks to nodes exactly when it has --nodes', () => {
  for (const leaf of leaves) {
    let hasNodes = false;
    for (let at: Command | null = leaf; at !== null; at = at.parent) {
      hasNodes ||= at.options.some(({ long }) => long === '--nodes');
    }
    const path = commandPath(leaf);
    // The subcommands of config share the options of `config new`, the only one that calls a node.
    if (path.startsWith('config ')) continue;
    // Those of image have the options of its commands for nodes.
    if (path.startsWith('image cache-')) continue;
    assert.equal(hasNodes, accessOf(path) !== 'local', path);
  }
});

test('the help of each command says where its nodes come from', () => {
  for (const leaf of leaves) {
    let help = '';
    leaf.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 1000 });
    leaf.outputHelp();
    const access = accessOf(commandPath(leaf));
    for (const [name, rule] of Object.entries(selectionRules)) {
      assert.equal(help.includes(rule), name === access, `${commandPath(leaf)}: ${rule}`);
    }
  }
});

test('arguments that change something turn a reading command into a change', () => {
  assert.equal(accessOf('service', ['apid']), 'reads');
  assert.equal(accessOf('service', ['apid', 'status']), 'reads');
  for (const verb of ['start', 'stop', 'restart']) assert.equal(accessOf('service', ['x', verb]), 'changes');
  assert.throws(() => accessOf('format'), /no command "format"/);
});

test('README lists the commands that take nodes from --nodes only, and those that change nodes', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../../../README.md'), 'utf8');
  const having = (wanted: CommandAccess) =>
    Object.entries(commandAccess)
      .filter(([, access]) => access === wanted)
      .map(([path]) => `\`${path.replace('* ', '')}\``);
  const row = (start: string) => readme.split('\n').find((line) => line.startsWith(`| ${start}`)) ?? '';
  const named = (line: string) => line.split('|')[1]?.match(/`[^`]+`/g) ?? [];
  assert.deepEqual(named(row('Destroys')).sort(), having('destroys').sort());
  assert.deepEqual(named(row('Changes')).sort(), having('changes').sort());
  assert.deepEqual(named(row('Shows the cluster')).sort(), having('watches').sort());
});
