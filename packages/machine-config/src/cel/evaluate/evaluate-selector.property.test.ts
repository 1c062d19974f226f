import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCelError, parse, plan } from '@bufbuild/cel';
import fc from 'fast-check';
import { arbitraryDiskExpression, type ScalarType, scalarTypes } from '../arbitrary-expression.ts';
import { typeOfExpression } from '../check-expression.ts';
import { selectorEnvironment } from './evaluate-selector.ts';

const { env, bind } = selectorEnvironment('disk');
const disk = { dev_path: '/dev/sda', size: 500_000_000_000, model: 'WDC 500', symlinks: ['/dev/disk/a'] };
const variables = bind({ disk, system_disk: true });

/** What the evaluator says when a value has a type that an operation does not take, or a name is unknown. */
const aboutTypes = /overload|type|unbound|unresolved|unknown|unsupported|unimplemented|field not found/i;
/** What depends on a value, whatever its type. */
const aboutValues =
  /divide by zero|modulus by zero|overflow|out of (range|bounds)|parse|parsing|convert|whole number|no number|time zone|decode|field not found: -?\d+|field not found: (true|false)/i;

const nameOf = (type: ScalarType) =>
  type === 'duration' || type === 'timestamp'
    ? `google.protobuf.${type === 'duration' ? 'Duration' : 'Timestamp'}`
    : type;

test('what the checker accepts never fails by its types in the evaluator, and has the type that the checker says', () => {
  let evaluated = 0;
  for (const type of scalarTypes) {
    fc.assert(
      fc.property(arbitraryDiskExpression(type), (text) => {
        assert.deepEqual(typeOfExpression(text, 'disk'), { type });
        const result = plan(env, parse(`type(${text}) == ${nameOf(type)}`))(variables);
        if (isCelError(result)) {
          const isOfValue = aboutValues.test(result.message);
          assert.ok(isOfValue || !aboutTypes.test(result.message), `${text}: ${result.message}`);
          return;
        }
        evaluated += 1;
        assert.equal(result, true, text);
      }),
      { numRuns: 100, seed: 48 },
    );
  }
  assert.ok(evaluated > 400, `only ${evaluated} of 800 expressions have a value`);
});
