import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Argument, Command, CommanderError, Option } from 'commander';
import { everyCommand } from '../testing/every-command.ts';
import { argumentSource } from './argument-values.ts';
import { optionSource } from './option-values.ts';
import type { ValueSource } from './value-source.ts';

/** Values with a closed list that the command's action checks, not its parser. */
const refusedByAction = new Set([
  'completion shell',
  'edit type',
  'gen config --output-types',
  'machineconfig gen --output-types',
  'patch type',
  'service action',
]);

interface Described {
  /** The command and its option or argument, such as `reboot --mode` or `service action`. */
  readonly name: string;
  readonly value: Option | Argument;
  readonly source: ValueSource | undefined;
}

const commands = await everyCommand();
const described: readonly Described[] = commands.flatMap(({ path, command }) => [
  ...optionsWithValues(command).map((option) => ({
    name: `${path} ${option.long}`,
    value: option,
    source: optionSource(command, option),
  })),
  ...command.registeredArguments.map((argument, index) => ({
    name: `${path} ${argument.name()}`,
    value: argument,
    source: argumentSource(command, index),
  })),
]);

function optionsWithValues({ options }: Command): readonly Option[] {
  return options.filter(({ required, optional }) => required || optional);
}

/** The error of the parser for a value; `undefined` when it accepts the value. */
function refusal({ value }: Described, text: string): string | undefined {
  try {
    value.parseArg?.(text, undefined as never);
    return undefined;
  } catch (error) {
    return (error as CommanderError).message;
  }
}

/** The valid values that an error lists: `It must be one of a, b.`, `It must be a, b or c.`. */
function listedIn(message: string | undefined): readonly string[] {
  const [, list = ''] =
    /(?:must be (?:one of |of )?|choices are )(.*?)(?:, not .*)?\.?$/i.exec(message ?? '') ?? [];
  const words = list.split(/, | or | and /).map((word) => word.replace("jsonpath='{...}'", 'jsonpath='));
  return words.length > 1 && words.every((word) => /^[\w-]+=?$/.test(word)) ? words.sort() : [];
}

test('every option with a value and every argument has a completion source', () => {
  assert.ok(described.length > 100);
  const unknown = described.filter(({ source }) => source === undefined);
  assert.deepEqual(
    unknown.map(({ name }) => name),
    [],
  );
});

test('every value of a closed list has a description, and the command accepts it', () => {
  for (const each of described) {
    if (each.source?.kind !== 'closed') continue;
    for (const { value, description } of each.source.candidates) {
      assert.ok(description, `${each.name} ${value}`);
      if (!value.endsWith('=')) assert.equal(refusal(each, value), undefined, `${each.name} ${value}`);
    }
  }
});

test('a closed list contains exactly the values that its command accepts', () => {
  for (const each of described) {
    if (each.source?.kind !== 'closed' || refusedByAction.has(each.name)) continue;
    const message = refusal(each, 'no-such-value');
    assert.notEqual(message, undefined, `${each.name} accepts any value`);
    const listed = listedIn(message);
    const values = each.source.candidates.map(({ value }) => value).sort();
    if (listed.length > 0) assert.deepEqual(values, listed, each.name);
    else assert.ok(values.length <= 2, `${each.name}: ${message}`);
  }
});

test('an option or argument whose error lists valid values completes them', () => {
  for (const each of described) {
    if (each.source?.kind === 'closed') continue;
    assert.equal(each.value.argChoices, undefined, each.name);
    assert.deepEqual(listedIn(refusal(each, 'no-such-value')), [], each.name);
  }
});
