import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOneToManyMethod, type MethodRule, methodTable } from '@nodewright/contract';
import { compareFacts } from './compare-facts.ts';
import { readFactTable } from './read-fact-table.ts';

/** A rule in the format of the table: heading, then the method and its marks. */
function methodFact(fullMethod: string, rule: MethodRule): string {
  const split = fullMethod.lastIndexOf('/') + 1;
  const marks = [
    rule.agent && 'AG',
    rule.controlPlaneOnly && `CP ${rule.controlPlaneOnly}`,
    rule.deprecated && 'DEP',
    rule.containerMode && 'MODE',
    rule.maintenance && 'MT',
  ].filter((mark) => mark !== undefined);
  const heading = `${fullMethod.slice(0, split)} roles ${rule.roles.join(' ')} nodes ${isOneToManyMethod(fullMethod) ? 'yes' : 'no'}`;
  return `${heading}: ${[fullMethod.slice(split), ...marks].join(', ')}`;
}

test('methodTable gives every method the roles and marks of the fact table', async () => {
  const table = (await readFactTable('methods.txt')).filter((fact) => fact.includes(': '));
  // The suite's own services are no part of the API of Talos.
  const ofTalos = Object.entries(methodTable).filter(([fullMethod]) => !fullMethod.startsWith('/suite.'));
  const rules = ofTalos.map(([fullMethod, rule]) => methodFact(fullMethod, rule));
  assert.deepEqual(compareFacts(table, rules), []);
});
