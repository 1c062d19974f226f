import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOfStream } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { ApplyConfigurationRequest_Mode as Mode } from '@nodewright/contract/gen/machine/machine.ts';
import { openConfigNode } from './testing/open-config-node.ts';

const program = join(import.meta.dirname, 'testing', 'apply-and-tell.ts');
const killer = join(import.meta.dirname, '..', '..', 'base', 'testing', 'kill-at-step.ts');

/** Compile cache of Node.js: with it, each start of the program takes a third of the time. */
const compiled = await mkdtemp(join(tmpdir(), 'compiled-'));
after(() => rm(compiled, { recursive: true }));

const filler = Array.from({ length: 2000 }, (_, line) => `# line ${line}\n`).join('');
const beforeText = `# before\n${filler}machine:\n  type: worker\n`;
const afterText = `# after\n${filler}machine:\n  type: controlplane\n`;

interface Outcome {
  readonly isKilled: boolean;
  readonly isAcknowledged: boolean;
  /** What the file holds after the kill. */
  readonly left: 'before' | 'after' | 'nothing' | 'damaged';
}

/**
 * Applies `afterText` in a child process that is killed before its `step`-th step, then starts the node
 * again.
 */
async function interruptAt(step: number, stored: string | undefined, mode: Mode): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'kill-'));
  const path = join(folder, 'config.yaml');
  const wanted = join(folder, 'wanted.yaml');
  try {
    if (stored !== undefined) await writeFile(path, stored, { mode: 0o600 });
    await writeFile(wanted, afterText);
    const child = spawn(process.execPath, ['--import', killer, program, folder, wanted, String(mode)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_COMPILE_CACHE: compiled, KILL_AT_STEP: String(step), KILL_AT_PATH: path },
    });
    const [output, [code, signal]] = await Promise.all([textOfStream(child.stdout), once(child, 'exit')]);
    assert.ok(signal === 'SIGKILL' || code === 0, `step ${step}: exit ${code} ${signal}`);
    const left = existsSync(path) ? readFileSync(path, 'utf8') : undefined;

    await using again = await openConfigNode({ folder, validate: () => [] });
    assert.equal(again.keeper.active()?.text, left, 'the node starts with what is on the disk');
    const { messages } = await again.admin.applyConfiguration({
      data: Buffer.from(beforeText),
      mode: Mode.AUTO,
    });
    assert.equal(messages.length, 1);
    assert.equal(readFileSync(path, 'utf8'), beforeText, 'leftover files do not disturb the next write');
    return {
      isKilled: signal === 'SIGKILL',
      isAcknowledged: output === 'acknowledged\n',
      left:
        left === undefined
          ? 'nothing'
          : left === beforeText
            ? 'before'
            : left === afterText
              ? 'after'
              : 'damaged',
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const scenarios = [
  { says: 'another configuration is applied', stored: beforeText, mode: Mode.NO_REBOOT, old: 'before' },
  { says: 'the first configuration is applied', stored: undefined, mode: Mode.REBOOT, old: 'nothing' },
] as const;

for (const { says, stored, mode, old } of scenarios) {
  test(`a node killed while ${says} has the old or the new one, and the new one if the call was answered`, async () => {
    const outcomes: Outcome[] = [];
    while (outcomes.every(({ isKilled }) => isKilled)) {
      const next = outcomes.length + 1;
      const pair = [next, next + 1].map((step) => interruptAt(step, stored, mode));
      outcomes.push(...(await Promise.all(pair)));
    }
    const killed = outcomes.filter(({ isKilled }) => isKilled);
    assert.deepEqual(outcomes.at(-1), { isKilled: false, isAcknowledged: true, left: 'after' });
    // A kill before the rename of the new file leaves the old text; a kill after it leaves the new text.
    const turn = killed.findIndex(({ left }) => left !== old);
    assert.deepEqual(
      killed.map(({ left }) => left),
      killed.map((_, at) => (at < turn ? old : 'after')),
    );
    assert.deepEqual(
      killed.filter(({ isAcknowledged, left }) => isAcknowledged && left !== 'after'),
      [],
    );
    assert.ok(
      turn >= 5 && killed.length - turn >= 2,
      `${turn} steps of ${killed.length} come before the turn`,
    );
  });
}
