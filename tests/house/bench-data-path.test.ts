import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const program = join(import.meta.dirname, '..', 'bench', 'data-path.ts');
/** The classes of which each call has an object. */
const classes = ['CallRecord', 'Forwarding', 'FrameInboundCall', 'FrameOutboundCall', 'Place', 'Pump'];

/** V8 decides by the time what it compiles, and what it compiles into another function, so a run may differ. */
const mostRuns = 6;

test('the compiled code for calls survives the garbage collections of an idle apid', async () => {
  let seen: CodeOfClasses = { notCompiled: [], discarded: [] };
  for (let run = 0; run < mostRuns; run += 1) {
    seen = await watchCode();
    if (seen.notCompiled.length === 0 && seen.discarded.length === 0) return;
  }
  assert.deepEqual(seen, { notCompiled: [], discarded: [] });
});

interface CodeOfClasses {
  /** The run shows nothing about these. */
  readonly notCompiled: readonly string[];
  /** Their compiled code was discarded in a collection. */
  readonly discarded: readonly string[];
}

async function watchCode(): Promise<CodeOfClasses> {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--trace-deopt', '--trace-opt', program, '--collect', '--trials', '6', '--level', 'error'],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  assert.match(stderr, /requests at once/);
  const named = (pattern: RegExp) => new Set([...stdout.matchAll(pattern)].map(([, name]) => name));
  // The words are those of V8. If a new version changes them, no class counts as compiled, and the test fails.
  const compiled = named(/completed compiling .*<JSFunction (\S+)/g);
  const discarded = named(/<SharedFunctionInfo (\S+)>.*embedded weak objects cleared/g);
  return {
    notCompiled: classes.filter((name) => !compiled.has(name)),
    discarded: classes.filter((name) => discarded.has(name)),
  };
}
