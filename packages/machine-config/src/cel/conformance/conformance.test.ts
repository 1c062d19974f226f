import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EnvironmentName, typeOfExpression } from '../check-expression.ts';
import type { ConformanceRows } from './conformance-rows.ts';
import { diskRows } from './disk.ts';
import { dynamicRows } from './dynamic.ts';
import { grammarRows } from './grammar.ts';
import { linkRows } from './link.ts';
import { listsAndMapsRows } from './lists-and-maps.ts';
import { literalsRows } from './literals.ts';
import { logicRows } from './logic.ts';
import { macrosRows } from './macros.ts';
import { messagesRows } from './messages.ts';
import { numbersRows } from './numbers.ts';
import { oomRankingRows } from './oom-ranking.ts';
import { oomTriggerRows } from './oom-trigger.ts';
import { optionalsRows } from './optionals.ts';
import { textsRows } from './texts.ts';
import { timeRows } from './time.ts';
import { typesRows } from './types.ts';
import { volumeRows } from './volume.ts';

const tables: readonly (readonly [string, EnvironmentName, ConformanceRows])[] = [
  ['literals', 'oom-trigger', literalsRows],
  ['grammar', 'oom-trigger', grammarRows],
  ['numbers', 'oom-trigger', numbersRows],
  ['texts', 'oom-trigger', textsRows],
  ['lists and maps', 'oom-trigger', listsAndMapsRows],
  ['types', 'oom-trigger', typesRows],
  ['dynamic', 'oom-trigger', dynamicRows],
  ['logic', 'oom-trigger', logicRows],
  ['time', 'oom-trigger', timeRows],
  ['messages', 'oom-trigger', messagesRows],
  ['macros', 'oom-trigger', macrosRows],
  ['optionals', 'oom-trigger', optionalsRows],
  ['disk', 'disk', diskRows],
  ['volume', 'volume', volumeRows],
  ['link', 'link', linkRows],
  ['oom trigger', 'oom-trigger', oomTriggerRows],
  ['oom ranking', 'oom-ranking', oomRankingRows],
];

for (const [title, environment, rows] of tables) {
  test(`expressions conform to CEL: ${title}`, () => {
    const actual = rows.map(([text]) => {
      const result = typeOfExpression(text, environment);
      return [text, 'type' in result ? result.type : `! ${result.problem}`];
    });
    assert.deepEqual(actual, rows);
  });
}
